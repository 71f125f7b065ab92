"""The page of a game as a text: what is in it, what is escaped, how large it gets. `pages/` opens it in a browser."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from patchstats.notation import record_of
from patchstats.render import game_page
from patchstats.render.explained import clauses_of
from patchstats.render.page.chart import chart
from patchstats.render.story import ply_text
from patchstats.render.text import turn_text
from patchstats.rules import Advance, Buy, Ruleset
from patchstats.rules.rulebook import clauses
from patchstats.testing import games, play_game

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))
VOID = {"meta", "input"}

few = settings(max_examples=max(1, settings().max_examples // 8))


class Reader(HTMLParser):
    """Reads a page: its elements must be closed in order; keeps them, and the words of each."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.items, self.scripts = [], [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if "href" in values:
            self.links.append(values["href"])
        assert not {"src", "srcset", "onload", "onerror"} & set(values)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "li":
            self.items.append("")
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "li" in self.open:
            self.items[-1] += data
        if "script" in self.open:
            self.scripts[-1] += data


@few
@given(games())
def test_the_page_lists_every_ply_and_has_a_state_for_each(game):
    page = Reader(game_page(record_of(game.ruleset, game.ring, game.actions)))
    plies = list(game.plies)
    listed = page.items[-len(plies) :]
    for number, (item, ply) in enumerate(zip(listed, plies, strict=True)):
        assert " ".join(item.split()) == f"{number} {ply.seat} {ply_text(ply)} {' '.join(clauses_of(ply))}"
    data = json.loads(page.scripts[0])
    assert len(data["states"]) == len(game.positions)
    for state, position in zip(data["states"], game.positions, strict=True):
        assert [seat[4] for seat in state["seats"]] == [position.score(0), position.score(1)]
        assert [data["patches"][str(number)] for number in state["offer"]] == list(position.offer)
        assert (state["turn"], state["top"], state["head"]) == (
            position.seat_on_turn,
            position.top,
            turn_text(position),
        )
    for state, ply in zip(data["states"][1:], plies, strict=True):
        assert state["seat"] == ply.seat
        assert {clause for _, found in state["steps"] for clause in found} == set(clauses_of(ply))


@few
@given(games())
def test_every_link_of_the_page_leads_into_it_and_no_id_is_there_twice(game):
    page = Reader(game_page(record_of(game.ruleset, game.ring, game.actions)))
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    touched = {clause for ply in game.plies for clause in clauses_of(ply)}
    assert {f"clause-{clause}" for clause in touched} <= set(page.ids)


def test_the_text_of_a_clause_is_that_of_the_rulebook():
    page = game_page(record_of(ORIGINAL, RING, [Buy("p02", 1, 0)]))
    text = next(clause.text for clause in clauses() if clause.number == "5.6")
    assert " ".join(text.split()) in page


@given(st.text(min_size=1), st.text(min_size=1))
def test_whatever_a_user_wrote_stays_words(first, second):
    agents = (f"<b>{first}", f"</script></title><script>{second}")
    page = game_page(record_of(ORIGINAL, RING, [Advance()], agents=agents))
    reader = Reader(page)
    assert len(reader.scripts) == 2
    assert "<b>" not in page.replace("<b data-is", "")
    page.encode()  # no lone surrogates


@given(st.text(st.characters(exclude_categories=["Z", "C"], exclude_characters=","), min_size=1, max_size=12))
def test_the_name_of_a_ruleset_is_escaped(name):
    ruleset = ORIGINAL.with_changes({"name": f"<i>{name}</title>"})
    page = game_page(record_of(ruleset, RING, [Advance()]))
    Reader(page)
    assert "<i>" not in page


def test_a_page_needs_no_network_and_says_so():
    page = game_page(record_of(ORIGINAL, RING, [Advance()]))
    assert "default-src 'none'" in page
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in page
    assert "@import" not in page


def test_pages_stay_small():
    game = play_game(ORIGINAL, RING, [1, 5, 9, 44, 1, 300, 2, 17] * 20)
    assert len(game_page(record_of(ORIGINAL, RING, game.actions)).encode()) < 250_000


def test_pages_of_the_largest_rulesets_stay_below_a_megabyte():
    rows = ("1", "11", "10/11", "111/010", "1111/1000")
    patches = {
        f"x{number}": {"rows": rows[number % 5], "cost": number % 4, "time": 1 + number % 5, "income": number % 3}
        for number in range(1, 256)
    }
    rules = ORIGINAL.to_dict() | {"quilt_size": 11, "finish": 255, "offer_size": 8, "start_patch": "x1"}
    rules |= {"leather_marks": list(range(1, 256)), "income_marks": list(range(1, 256)), "patches": patches}
    ruleset = Ruleset.from_dict(rules)
    for choices in ([], [1, 400, 9, 2000, 77] * 120):
        game = play_game(ruleset, list(patches), choices)
        assert len(game_page(record_of(ruleset, game.ring, game.actions)).encode()) < 1_000_000


def test_a_game_without_plies_has_a_page_that_tells_the_setup():
    page = game_page(record_of(ORIGINAL, RING, []))
    Reader(page)
    assert "Before the first ply. Seat 0 is on turn: its token lies on top." in page
    assert "each seat has 5 buttons, and the bank the other 152" in page


@given(st.lists(st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000)), min_size=1, max_size=40))
def test_the_chart_draws_every_score_in_its_frame(scores):
    drawn = chart(scores)
    lines = re.findall(r'<polyline points="([^"]+)"', drawn)
    assert len(lines) == 2
    points = [[tuple(map(float, point.split(","))) for point in line.split()] for line in lines]
    assert [len(line) for line in points] == [len(scores)] * 2
    for line in points:
        assert all(0 < x < 360 and 0 < y < 170 for x, y in line)
        assert all(before[0] < after[0] for before, after in pairwise(line))
    for (first, second), (_, above), (_, below) in zip(scores, *points, strict=True):
        assert (first > second) <= (above <= below)
    labels = re.findall(r'text-anchor="end" fill="[^"]+">(-?\d+)<', drawn)
    assert len(labels) <= 7
