"""How the examples of a page are found and run, and the browser in which pages are opened.

Debian has the browser as `chromium` and `chromium-driver`. Where it is not there, or no selenium, the tests that need
it are skipped.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


class Block(NamedTuple):
    """A block of a page: of which kind it says it is, and its text."""

    kind: str
    text: str


@pytest.fixture
def blocks_of():
    """A function: the blocks of a page, in order."""

    def blocks_of(page):
        return [Block(*found.groups()) for found in BLOCK.finditer((CHECKOUT / page).read_text(encoding="utf-8"))]

    return blocks_of


#: What commands say on the way, which a page does not show.
_PROGRESS = r"(simulate|verify|metrics|ladder|whatif|screen): |the engine is being compiled"


@pytest.fixture
def run_python():
    """A function that runs the examples of a block, and fails with the usual report when they print something else."""

    def run_python(text, names, page):
        examples = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
        report = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=report.append, clear_globs=False)
        names |= examples.globs
        assert not report, "".join(report)

    return run_python


@pytest.fixture
def environment():
    """The environment of a shell that finds the commands of this installation."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@pytest.fixture
def run_commands(environment):
    """A function that runs the commands of a block in the shell; errors count as output, progress does not."""

    def run_commands(text, folder):
        for command, expected in COMMAND.findall(text):
            ran = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            lines = ran.stderr.splitlines(keepends=True)
            errors = [line for line in lines if not re.match(_PROGRESS, line)]
            found = ran.stdout + "".join(errors)
            assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), f"$ {command}\n{found}"

    return run_commands


#: A screen of fewer pixels across is that of a phone.
_PHONE = 500


@pytest.fixture(scope="session")
def browser():
    """A browser without a window, that keeps what it has to complain about."""
    pytest.importorskip("selenium", reason="selenium is not installed")
    from selenium import webdriver

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("there is no chromium with a chromedriver on the path")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options, webdriver.ChromeService(driver)) as opened:
        yield opened


@pytest.fixture
def on_screen(browser):
    """A function that opens an address on a screen so many pixels wide; what a test changed is changed back."""

    def on_screen(address, width):
        size = {"width": width, "height": 740, "deviceScaleFactor": 2, "mobile": width < _PHONE}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get("about:blank")  # or an address that differs in its end alone would not be loaded again
        browser.get(address)
        return browser

    yield on_screen
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.get_log("browser")
