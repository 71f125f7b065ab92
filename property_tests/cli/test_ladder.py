"""patchstats ladder: what it prints, what it leaves behind, and what it refuses."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import scipy.stats

import patchstats as package
from patchstats.analysis.ratings import Cyclicity, Triple
from patchstats.experiments import Sprt

LADDER = ("ladder", "--agents", "random,random-patch", "--games", 40, "--seed", 1)
BOUNDS = {"low", "high"}


@pytest.fixture
def refused(patchstats):
    """A function that runs a command, checks that it is refused in one line with nothing left, and returns that."""

    def refused(*arguments):
        answer = patchstats(*arguments)
        assert (answer.status, answer.out) == (2, "")
        assert not list(Path().iterdir())
        [line] = answer.err.splitlines()
        assert line.startswith("patchstats: ")
        return line.removeprefix("patchstats: ")

    return refused


def ladder(**options):
    """The arguments of a ladder, with some options otherwise than they should be."""
    given = {"agents": "random,random-patch", "games": 4, "seed": 1, "out": "ladder", "workers": 1, **options}
    return ["ladder", *(part for name, value in given.items() for part in (f"--{name}", value))]


def test_the_page_has_ratings_pairs_and_means_with_progress_elsewhere(patchstats):
    answer = patchstats(*LADDER, "--out", "ladder")
    assert answer.status == 0
    assert answer.err.splitlines()[-1].startswith("ladder: 40 of 40 games, ")
    ratings, pairs, means = (block.splitlines() for block in answer.out.split("\n\n"))
    found = package.ladder(agents=["random", "random-patch"], games=40, seed=1, out="ladder")
    [pair] = found.pairs
    assert ratings[0].split() == ["rating", "Elo", "95", "%", "interval"]
    assert [line.split("  ")[0] for line in ratings[1:]] == ["random", "random-patch", "advantage of seat 0"]
    assert ratings[1].split() == ["random", *str(found.ratings.elo[0]).split()]
    assert ratings[3].endswith(str(found.ratings.seat).partition(" ")[2])
    assert pairs[1].split() == [*pair.agents, "40", *str(pair.share).split(), f"{pair.margin.value:+.1f}"]
    assert means[1].split()[:3] == ["random", "40", f"{found.scores[0].score:.1f}"]
    assert len(means) == 3


def test_three_agents_have_a_line_about_cycles_and_two_have_none(patchstats):
    assert "cyclicity" not in patchstats(*LADDER, "--out", "two").out
    Path("bystander.py").write_text(
        "from patchstats import Advance\n\n\ndef idle(position, legal, stream):\n"
        "    return legal[0] if position.waiting else Advance()\n",
        encoding="utf-8",
    )
    agents = ("--agents", "random,random-patch,scripted:bystander:idle")
    answer = patchstats("ladder", *agents, "--games", 8, "--seed", 1, "--out", "three", "--workers", 1)
    assert answer.out.splitlines()[-1].startswith("cyclicity  ")
    assert "  100.0%  [51.0%, 100.0%]  " in answer.out


def test_in_a_gauntlet_the_first_agent_plays_all_others_and_these_not_each_other(patchstats):
    gauntlet = ("--gauntlet", "--agents", "random,biggest,cheapest", "--games", 8, "--seed", 1, "--out", "gauntlet")
    answer = patchstats("ladder", *gauntlet, "--progress", "off")
    ratings, pairs, means = (block.splitlines() for block in answer.out.split("\n\n"))
    assert [line.split()[:3] for line in pairs[1:]] == [["random", "biggest", "8"], ["random", "cheapest", "8"]]
    assert (len(ratings), len(means)) == (5, 4)
    assert len(list(Path("gauntlet").iterdir())) == 2


def test_a_circle_is_named_with_its_p(patchstats, monkeypatch):
    found = package.ladder(agents=["random", "random-patch"], games=4, seed=1, out="ladder")
    cyclic = Cyclicity(0.25, 0.011, 0.0004, (Triple(("rock", "scissors", "paper"), 0.0123),))
    found = replace(found, agents=("rock", "paper", "scissors"), cyclicity=cyclic)
    monkeypatch.setattr("patchstats.experiments.ladder", lambda **_: found)
    first, second = patchstats(*LADDER, "--out", "ladder").out.splitlines()[-2:]
    assert first == (
        "cyclicity  25.0% of who beats whom is not explained by ratings (1.1% would be by chance, p = 0.0004)"
    )
    assert second.strip() == "rock beats scissors beats paper beats rock (p = 0.012)"


def test_json_has_a_key_for_everything(patchstats):
    answer = patchstats(*LADDER, "--out", "ladder", "--sprt", "0,400", "--json", "--progress", "off")
    assert (answer.status, answer.err) == (0, "")
    values = json.loads(answer.out)
    found = package.ladder(agents=["random", "random-patch"], games=40, seed=1, out="ladder", sprt=Sprt(0, 400))
    assert values == json.loads(json.dumps(found.to_dict()))
    assert set(values) == {"agents", "ruleset_id", "seed", "games", "ratings", "seat", "pairs", "scores", "cyclicity"}
    assert (values["agents"], values["seed"], values["games"]) == (["random", "random-patch"], 1, 40)
    assert values["ruleset_id"] == package.Ruleset.load("original").ruleset_id
    assert all(set(rating) == {"agent", "elo"} | BOUNDS for rating in values["ratings"])
    assert set(values["seat"]) == {"elo"} | BOUNDS
    [pair] = values["pairs"]
    assert set(pair) == {"agents", "run", "run_id", "games", "share", "margin", "sprt"}
    assert set(pair["share"]) == {"share"} | BOUNDS
    assert set(pair["margin"]) == {"points"} | BOUNDS
    assert set(pair["sprt"]) == {"accepted", "pairs", "llr"}
    assert Path(pair["run"]).is_dir()
    assert all(set(one) == {"agent", "games", "score", "empty", "bonus"} for one in values["scores"])
    assert set(values["cyclicity"]) == {"share", "by_chance", "p_value", "triples"}


def test_without_a_test_json_says_so(patchstats):
    answer = patchstats(*LADDER, "--out", "ladder", "--json", "--progress", "off")
    assert json.loads(answer.out)["pairs"][0]["sprt"] is None


def test_the_same_command_again_says_the_same_and_a_larger_number_of_games_adds_games(patchstats):
    first = patchstats(*LADDER, "--out", "ladder", "--progress", "off")
    before = {path: path.stat().st_mtime_ns for path in Path("ladder").rglob("*")}
    assert patchstats(*LADDER, "--out", "ladder", "--progress", "off") == first
    assert {path: path.stat().st_mtime_ns for path in Path("ladder").rglob("*")} == before
    answer = patchstats(*LADDER, "--games", 60, "--out", "ladder", "--json")
    assert json.loads(answer.out)["games"] == 60


def test_options_reach_the_runs(patchstats):
    options = ("--ruleset", "revised", "--set", "patches.p21.cost=1", "--log", "turns", "--games-per-shard", 10)
    answer = patchstats(*LADDER, *options, "--out", "ladder", "--engine", "reference", "--workers", 1, "--json")
    [pair] = json.loads(answer.out)["pairs"]
    run = package.open_run(pair["run"])
    assert run.ruleset == package.Ruleset.load("revised").with_changes({"patches.p21.cost": 1})
    assert (run.spec["log"], run.spec["games_per_shard"], run.spec["seed"]) == ("turns", 10, 1)
    assert '"engine": "reference"' in (Path(pair["run"]) / "log.jsonl").read_text(encoding="utf-8")


def test_a_sequential_test_says_when_it_could_tell_or_that_it_could_not(patchstats):
    shards = ("--games-per-shard", 20, "--out", "ladder")
    answer = patchstats(*LADDER, *shards, "--sprt", "0,1")
    assert answer.out.splitlines()[6].split("  ")[-1].startswith("open (LLR ")
    chances = ("--alpha", "0.1", "--beta", "0.2")
    answer = patchstats(*LADDER, "--games", 400, *shards, "--sprt", "0,50", *chances)
    settings = {"agents": ["random", "random-patch"], "games": 400, "seed": 1, "games_per_shard": 20, "out": "ladder"}
    [pair] = package.ladder(**settings, sprt=Sprt(0, 50, alpha=0.1, beta=0.2)).pairs
    assert f"  H1 after {2 * pair.verdict.pairs} games" in answer.out
    assert f"random against random-patch: H1 after {2 * pair.verdict.pairs} games\n" in answer.err
    assert pair.verdict.pairs < package.ladder(**settings, sprt=Sprt(0, 50)).pairs[0].verdict.pairs


def test_specs_with_commas_in_their_parameters_are_one_agent(refused):
    line = refused(*ladder(agents="random,scripted:nowhere:a=1,b=2"))
    assert "scripted:nowhere:a=1,b=2" in line


def test_in_mirror_play_each_agent_plays_itself_on_rings_of_its_own(patchstats):
    mirror = ("ladder", "--mirror", "--agents", "random,greedy", "--games", 30, "--seed", 1, "--out", "mirror")
    heads, *lines = patchstats(*mirror, "--progress", "off").out.splitlines()
    assert heads.split("  ")[0] == "against itself"
    found = json.loads(patchstats(*mirror, "--json", "--progress", "off").out)
    for line, one, agent in zip(lines, found, ["random", "greedy"], strict=True):
        run = package.open_run(one["run"])
        games = run.games()
        assert (run.run_id, run.spec["pairing"]) == (one["run_id"], "none")
        assert {*games["agent_0"], *games["agent_1"]} == {agent}
        assert games["ring"].nunique() == 30
        expected = {
            "agent": agent,
            "games": 30,
            "score": (games["score_0"].mean() + games["score_1"].mean()) / 2,
            "empty": (games["empty_0"].mean() + games["empty_1"].mean()) / 2,
            "bonus": (games["bonus_seat"] != -1).mean(),
        }
        assert {key: one[key] for key in expected} == pytest.approx(expected)
        margins = games["score_0"] - games["score_1"]
        test = scipy.stats.ttest_1samp(margins, 0).confidence_interval()
        assert one["margin"] == pytest.approx({"points": margins.mean(), "low": test.low, "high": test.high})
        won = int((games["winner"] == 0).sum())
        interval = scipy.stats.binomtest(won, 30).proportion_ci(method="wilson")
        assert one["share"] == pytest.approx({"share": won / 30, "low": interval.low, "high": interval.high})
        said = [agent, "30", f"{won / 30:.1%}", f"[{interval.low:.1%},", f"{interval.high:.1%}]"]
        assert line.split()[:5] == said
        assert line.split()[5:] == [
            f"{margins.mean():+.1f}",
            *(f"{one[key]:.1f}" for key in ("score", "empty")),
            f"{one['bonus']:.1%}",
        ]


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_ratings_are_drawn_into_a_file(patchstats, suffix):
    answer = patchstats(*LADDER, "--out", "ladder", "--plot", f"ratings.{suffix}")
    assert answer.status == 0
    assert Path(f"ratings.{suffix}").stat().st_size > 3000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": "random"}, "a ladder needs two agents or more, such as random,random-patch; given 1: random"),
        ({"agents": ""}, "a ladder needs two agents or more"),
        ({"agents": "random,random"}, "agent 'random' is given twice; name each agent once"),
        ({"agents": "random,randon"}, "agent 'randon' is unknown"),
        ({"games": "3"}, "games must be an even number from 4 on, two games a mirrored pair, not 3"),
        ({"games": "many"}, "Invalid value for '--games'"),
        ({"seed": "-1"}, "seed must be a whole number"),
        ({"ruleset": "orignal"}, "no such ruleset"),
        ({"set": "patches.p21.price=1"}, "patches.p21.price: no such key"),
        ({"sprt": "0"}, "--sprt takes two numbers of Elo points, such as 0,20, not '0'"),
        ({"sprt": "0,20,40"}, "--sprt takes two numbers"),
        ({"sprt": "a,b"}, "--sprt takes two numbers"),
        ({"sprt": "20,0"}, "a sequential test needs two strengths, the lower one first"),
        ({"sprt": "0,20", "alpha": "0.6"}, "alpha must be between 0 and 0.5, not 0.6"),
        ({"alpha": "0.1"}, "--alpha and --beta are for --sprt ELO0,ELO1; give that, too"),
        ({"beta": "0.1"}, "--alpha and --beta are for --sprt"),
        ({"plot": "ratings.pdf"}, "--plot ratings.pdf: give a file whose name ends in .svg or .png"),
        ({"plot": "nowhere/ratings.svg"}, "--plot nowhere/ratings.svg: there is no directory nowhere; make it"),
        ({"workers": "0"}, "workers must be a whole number from 1 on, not 0"),
        ({"games-per-shard": "3"}, "games_per_shard must be a multiple of 2"),
        ({"out": ""}, "an empty text is no path"),
        ({"out": "nowhere://bucket/ladder"}, "nowhere://bucket/ladder cannot be reached: "),
    ],
)
def test_what_cannot_be_played_is_refused(refused, options, message):
    assert message in refused(*ladder(**options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": ""}, "agent '' is unknown"),
        ({"agents": "random,random"}, "agent 'random' is given twice"),
        ({"games": "1"}, "games must be a whole number from 2 on, not 1"),
        ({"sprt": "0,20"}, "--sprt, --plot and --gauntlet are for agents that play each other; leave out --mirror"),
        (
            {"plot": "ratings.svg"},
            "--sprt, --plot and --gauntlet are for agents that play each other; leave out --mirror",
        ),
        ({"out": ""}, "an empty text is no path"),
    ],
)
def test_mirror_play_that_cannot_be_is_refused(refused, options, message):
    assert message in refused(*ladder(**options), "--mirror")


def test_a_gauntlet_is_no_mirror_play(refused):
    assert "leave out --mirror" in refused(*ladder(), "--mirror", "--gauntlet")


@pytest.mark.parametrize("missing", ["agents", "games", "seed", "out"])
def test_a_missing_option_is_named(refused, missing):
    arguments = ladder()
    at = arguments.index(f"--{missing}")
    line = refused(*arguments[:at], *arguments[at + 2 :])
    assert line == f"Missing option '--{missing}'. (see patchstats ladder --help)"


def test_a_plot_that_cannot_be_written_is_told_in_one_line_and_the_games_are_kept(patchstats, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("patchstats.analysis.figures.style.save_plot", full)
    answer = patchstats(*LADDER, "--out", "ladder", "--plot", "ratings.svg", "--progress", "off")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == "patchstats: ratings.svg cannot be written: No space left on device; the games are kept\n"
    assert Path("ladder").exists()


def test_a_file_in_the_place_of_the_directory_is_refused_in_one_line(patchstats):
    Path("file").write_text("mine", encoding="utf-8")
    answer = patchstats(*ladder(out="file"), "--progress", "off")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"patchstats: {Path('file') / 'manifest.json'} cannot be read: Not a directory\n"


def test_an_agent_that_fails_is_told_in_one_line_and_leaves_nothing(refused):
    agents = "random,scripted:json:dumps"
    assert "agent 'scripted:json:dumps'" in refused(*ladder(agents=agents, progress="off"))


def test_an_agent_that_judges_by_hand_made_weights_says_so(patchstats):
    options = ladder(agents="puct:iterations=1,random", set="start_buttons=6", progress="plain")
    told = patchstats(*options)
    assert told.status == 0
    assert "agent 'puct:iterations=1' judges positions by hand-made weights" in told.err


def test_help_says_what_it_does_and_loads_nothing_that_takes_long():
    code = (
        "import sys\nfrom patchstats.cli import main\nsys.argv = ['patchstats', 'ladder', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("Usage: patchstats ladder")
    assert not set(done.stderr.split()) & {"numpy", "pandas", "pyarrow", "rich", "matplotlib", "statsmodels", "scipy"}
