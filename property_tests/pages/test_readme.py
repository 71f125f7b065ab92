"""The README does what it says: its examples are run in order, in one folder, and print what it shows."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
NOT_RUN_HERE = {"sh", "toml"}


def run_python(text: str, names: dict[str, object]) -> None:
    """Run the examples of a block; fail with the usual report when they print something else."""
    examples = doctest.DocTestParser().get_doctest(text, names, "README.md", "README.md", 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=report.append, clear_globs=False)
    names |= examples.globs
    assert not report, "".join(report)


def run_commands(text: str, folder: Path) -> None:
    """Run the commands of a block in the shell; errors count as output, progress does not."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command, expected in COMMAND.findall(text):
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        errors = [line for line in ran.stderr.splitlines(keepends=True) if not re.match(r"(simulate|verify): ", line)]
        found = ran.stdout + "".join(errors)
        assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), f"$ {command}\n{found}"


def test_every_example_of_the_readme_prints_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    kinds = []
    for block in BLOCK.finditer((CHECKOUT / "README.md").read_text(encoding="utf-8")):
        kind, text = block["kind"], block["text"]
        kinds.append(kind)
        file = re.match(r"# (\w+\.py)\n", text)
        if kind == "python" and file:
            (tmp_path / file[1]).write_text(text, encoding="utf-8")
        elif kind == "python":
            run_python(text, names)
        elif kind == "console":
            run_commands(text, tmp_path)
        else:
            assert kind in NOT_RUN_HERE, f"a block of kind {kind} that nothing runs"
    assert {"sh", "python", "console"} <= set(kinds)


def test_the_links_of_the_pages_lead_somewhere():
    pages = [CHECKOUT / "README.md", CHECKOUT / "property_tests" / "README.md", *(CHECKOUT / "docs").glob("*.md")]
    dead = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not dead
