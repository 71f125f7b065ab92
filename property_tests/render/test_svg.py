"""Pictures as SVG: what is drawn is read back from them, and they carry the same as words."""

import math
import re
import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.path import Path

import patchstats
from patchstats.conformance.golden import golden_games
from patchstats.notation import parse_record, record_of, replay_record
from patchstats.render import (
    PlacedTile,
    Quilt,
    game_svg,
    position_svg,
    position_text,
    quilt_svg,
    quilt_text,
    quilt_tiles,
    ring_svg,
    track_svg,
)
from patchstats.render.figures import BONUS, BUTTON, LEATHER
from patchstats.render.svg import track
from patchstats.render.svg.pieces import COVERED, cloth_of
from patchstats.render.svg.quilt import SIDE
from patchstats.render.svg.ring import CARD_HEIGHT, CARD_WIDTH, HALO, WIDTH, Ring
from patchstats.render.svg.writer import words
from patchstats.rules import Advance, Buy, Position, Ruleset
from patchstats.rules.cells import all_cells, set_of
from patchstats.testing import games, play_game, positions

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))
SVG = "{http://www.w3.org/2000/svg}"

few = settings(max_examples=max(1, settings().max_examples // 8))


def read(svg):
    """The picture as a tree; it must be XML, stand alone, have no ids, and say what it shows."""
    tree = ElementTree.fromstring(svg)
    assert tree.tag == f"{SVG}svg"
    assert [child.tag for child in tree][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert tree.find(f"{SVG}title").text
    assert tree.find(f"{SVG}desc").text
    assert svg.count("http") == 1
    for element in tree.iter():
        assert not {"id", "href", "style"} & set(element.attrib)
    return tree


def of_class(tree, name):
    return [element for element in tree.iter() if name in element.get("class", "").split()]


def texts(tree):
    return [element.text for element in tree.iter(f"{SVG}text")]


def place_of(element):
    """Where a group is moved to."""
    return tuple(map(float, re.match(r"translate\((\S+) (\S+)\)", element.get("transform")).groups()))


def cells_under(path, size):
    """The cells of a quilt whose middles lie within the lines of a path, corners taken as they were before rounding."""
    side = SIDE / size
    middles = [((cell % size + 0.5) * side, (cell // size + 0.5) * side) for cell in range(size * size)]
    inside = 0
    for line in path.get("d").split("Z")[:-1]:
        corners = [tuple(map(float, corner)) for corner in re.findall(r"Q(\S+) (\S+)", line)]
        covered = Path([*corners, corners[0]]).contains_points(middles)
        inside ^= set_of(cell for cell, within in enumerate(covered) if within)
    return inside


@few
@given(games(), st.integers(0, 1))
def test_every_tile_is_drawn_in_its_colour_over_its_cells_with_its_buttons(game, seat):
    ruleset, size = game.ruleset, game.ruleset.quilt_size
    quilt = Quilt.after(ruleset, game.log, seat)
    drawn = of_class(read(quilt_svg(quilt)), "tile")
    assert len(drawn) == len(quilt.tiles)
    for group, tile in zip(drawn, quilt.tiles, strict=True):
        (edge,) = of_class(group, "edge")
        if tile.patch is None:
            x, y = place_of(group.find(f"{SVG}g"))
            cell = round(y / (SIDE / size)) * size + round(x / (SIDE / size))
            assert (edge.get("fill"), 1 << cell) == (LEATHER, tile.cells)
            continue
        income = ruleset[tile.patch].income
        assert (edge.get("fill"), cells_under(edge, size)) == (cloth_of(ruleset, tile.patch), tile.cells)
        buttons = [circle for circle in group.iter(f"{SVG}circle") if circle.get("fill") == BUTTON]
        assert len(buttons) == (income if income < tile.cells.bit_count() else 1)
        assert (str(income) in texts(group)) == (income >= tile.cells.bit_count())
        assert group.find(f"{SVG}title").text.startswith(f"{tile.patch}: cost {ruleset[tile.patch].cost},")


@pytest.mark.parametrize("game", golden_games(), ids=lambda game: game.name)
def test_the_square_that_won_the_bonus_has_a_frame_and_no_other_does(game):
    record = parse_record(game.written(), game.rules)
    plies = replay_record(record)
    for seat in (0, 1):
        quilt = Quilt.after(record.ruleset, [event for ply in plies for event in ply.events], seat)
        frames = of_class(read(quilt_svg(quilt)), "bonus")
        assert len(frames) == (plies[-1].after.bonus_owner == seat)
        for frame in frames:
            line = next(path for path in frame.iter(f"{SVG}path") if path.get("stroke") == BONUS)
            assert cells_under(line, record.ruleset.quilt_size) == quilt.bonus


def test_quilts_with_a_bonus_a_leather_and_a_hole_are_among_those_that_are_tried(reach):
    reach(
        games(),
        lambda game: game.final.bonus_owner is not None,
        lambda game: any(player.leathers for player in game.final.players),
        lambda game: 0 < game.final.empty_cells(0) < game.ruleset.quilt_size,
    )


@few
@given(games(), st.integers(0, 1))
def test_a_quilt_says_in_words_what_it_shows(game, seat):
    quilt = Quilt.after(game.ruleset, game.log, seat)
    tree = read(quilt_svg(quilt, "Mine"))
    player = game.final.players[seat]
    title = tree.find(f"{SVG}title").text
    assert tree.find(f"{SVG}desc").text == quilt_text(game.ruleset, quilt_tiles(game.log, seat))
    for told in (
        "Mine: ",
        f"{len(player.patches)} patch",
        f"{player.leathers} leather",
        f"{game.final.empty_cells(seat)} of {game.ruleset.quilt_size**2} cells empty",
    ):
        assert told in title
    assert ("bonus" in title) == (game.final.bonus_owner == seat)


@given(st.integers(3, 11).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, all_cells(size)))))
def test_cells_that_are_covered_by_nobody_knows_what_are_drawn_in_one_colour(drawn):
    size, covered = drawn
    ruleset = Ruleset.from_dict({**ORIGINAL.to_dict(), "quilt_size": 11, "bonus_square": 3})
    settings_of = {**ruleset.to_dict(), "quilt_size": size, "start_patch": "a"}
    settings_of["patches"] = {"a": {"rows": "1", "cost": 0, "time": 1, "income": 0}}
    quilt = Quilt(Ruleset.from_dict(settings_of), (), covered)
    tree = read(quilt_svg(quilt))
    (edge,) = of_class(tree, "edge")
    assert (edge.get("fill"), cells_under(edge, size)) == (COVERED, covered)
    assert tree.find(f"{SVG}desc").text.count("#") == covered.bit_count()


def test_a_name_is_left_out_where_it_could_not_be_read():
    drawn = {}
    for name in ("ab", "abcdefghijklmnop"):
        rules = ORIGINAL.to_dict() | {"start_patch": name}
        rules["patches"] = {name: {"rows": "1", "cost": 0, "time": 1, "income": 0}}
        ruleset = Ruleset.from_dict(rules)
        tree = read(quilt_svg(Quilt.of_tiles(ruleset, [PlacedTile(name, cells=1)])))
        drawn[name] = len(of_class(tree, "id"))
        assert name in ElementTree.tostring(tree, encoding="unicode")  # at least where one points
    assert drawn == {"ab": 1, "abcdefghijklmnop": 0}


def with_track(finish):
    return Ruleset.from_dict({**ORIGINAL.to_dict(), "finish": finish, "income_marks": [finish], "leather_marks": [1]})


@pytest.mark.parametrize("finish", [*range(1, 20), 53, 60, 127, 254, 255])
def test_the_track_is_a_line_of_neighbouring_spaces_within_its_picture(finish):
    ruleset = with_track(finish)
    side, middles = track.side_of(ruleset), track.middles_of(ruleset)
    assert len({(round(x, 3), round(y, 3)) for x, y in middles}) == finish + 1
    for (x, y), (a, b) in pairwise(middles):
        assert abs(x - a) + abs(y - b) == pytest.approx(side)
    for x, y in middles:
        assert side / 2 - 1e-6 <= x <= track.WIDTH - side / 2 + 1e-6
        assert side / 2 - 1e-6 <= y <= track.height(ruleset) - side / 2 + 1e-6
    assert side >= 21


@few
@given(positions())
def test_the_time_board_shows_every_space_mark_leather_and_token(position):
    ruleset = position.ruleset
    tree = read(track_svg(position))
    middles, side = track.middles_of(ruleset), track.side_of(ruleset)
    assert [label.text for label in of_class(tree, "space")] == list(map(str, range(ruleset.finish + 1)))
    buttons = [circle for circle in tree.iter(f"{SVG}circle") if circle.get("fill") == BUTTON]
    assert len(buttons) == len(ruleset.income_marks)
    nearest = [
        min(range(len(middles)), key=lambda at: math.dist(middles[at], place_of(leather)))
        for leather in of_class(tree, "leather")
    ]
    assert sorted(nearest) == sorted(position.leather_marks)
    tokens = of_class(tree, "token")
    assert [int(token.get("data-seat")) for token in tokens] == [1 - position.top, position.top]
    for token in tokens:
        seat = int(token.get("data-seat"))
        assert math.dist(place_of(token), middles[position.players[seat].space]) < 0.2 * side
        assert texts(token) == [str(seat)]
    assert math.dist(place_of(tokens[0]), place_of(tokens[1])) > 0.2 * side
    assert f"seat 1 on space {position.players[1].space}" in tree.find(f"{SVG}title").text


@few
@given(positions())
def test_the_ring_goes_clockwise_from_the_neutral_token_and_marks_the_offer(position):
    tree = read(ring_svg(position))
    slots = of_class(tree, "slot")
    assert tuple(slot.find(f"{SVG}title").text for slot in slots) == position.ring
    offered = [slot.find(f"{SVG}title").text for slot in of_class(tree, "offered")]
    assert tuple(offered) == position.offer
    grounds = [circle for circle in tree.iter(f"{SVG}circle") if circle.get("fill") == HALO["fill"]]
    assert len(grounds) == len(position.offer)
    (token,) = of_class(tree, "neutral")
    angles = [turn_of(place_of(place)) for place in (token, *slots)]
    assert angles[0] == pytest.approx(0)
    assert all(before < after for before, after in pairwise(angles))
    names = [text for card in of_class(tree, "card") for text in texts(card) if text in position.ring]
    assert tuple(names) == position.offer
    for card, patch in zip(of_class(tree, "card"), map(position.ruleset.__getitem__, position.offer), strict=True):
        assert {f"cost {patch.cost}", f"time {patch.time}", f"income {patch.income}"} <= set(texts(card))
    assert ("no patch is left" in texts(tree)) == (not position.ring)


def turn_of(point):
    """How far round, clockwise from the top, a point lies: 0 to 1."""
    return math.atan2(point[0] - WIDTH / 2, WIDTH / 2 - point[1]) / math.tau % 1


@pytest.mark.parametrize("count", [*range(1, 40), 60, 100, 254, 255])
def test_patches_have_room_on_the_ring_and_cards_within_it(count):
    places = tuple(f"x{number}" for number in range(count))
    ring = Ring(ORIGINAL, places, 0, places, ())
    room = ring.lanes[1]
    middles = [ring.middle_of(place) for place in range(count + 1)]
    assert min(math.dist(one, other) for place, one in enumerate(middles) for other in middles[:place]) >= 0.7 * room
    assert room >= 12
    for x, y in middles:
        assert ring.inside + room / 2 <= math.dist((x, y), (WIDTH / 2, WIDTH / 2)) <= (WIDTH - room) / 2 + 1e-6
    for cards in map(ring.cards, range(1, 9)):
        for x, y, scale in cards:
            across, down = CARD_WIDTH * scale / 2 - 1e-6, CARD_HEIGHT * scale / 2 - 1e-6
            corners = [(x + right * across, y + below * down) for right in (-1, 1) for below in (-1, 1)]
            assert all(math.dist(corner, (WIDTH / 2, WIDTH / 2)) <= ring.inside for corner in corners)
        for place, (x, y, scale) in enumerate(cards):
            for a, b, _ in cards[:place]:
                apart = abs(x - a) >= CARD_WIDTH * scale - 1e-6 or abs(y - b) >= CARD_HEIGHT * scale - 1e-6
                assert apart


@few
@given(positions())
def test_a_position_is_drawn_whole_and_told_as_its_text(position):
    tree = read(position_svg(position))
    assert tree.find(f"{SVG}desc").text == position_text(position)
    assert len(of_class(tree, "slot")) == len(position.ring)
    assert len(of_class(tree, "leather")) == len(position.leather_marks)
    shown = [
        cells_under(edge, position.ruleset.quilt_size) for edge in of_class(tree, "edge") if edge.get("fill") == COVERED
    ]
    assert shown == [player.covered for player in position.players if player.covered]
    for seat, player in enumerate(position.players):
        has = f"score {position.score(seat)}: {player.buttons} buttons, {position.empty_cells(seat)} empty"
        assert any(text.startswith(has) for text in texts(tree))


@few
@given(games(), st.integers(0, 999))
def test_a_game_is_drawn_as_it_stands_after_any_of_its_plies(game, number):
    count = number % (len(game.actions) + 1)
    position = game.positions[count]
    tree = read(game_svg(record_of(game.ruleset, game.ring, game.actions), count))
    assert position_text(position) in tree.find(f"{SVG}desc").text
    placed = sum(len(player.patches) + player.leathers for player in position.players)
    assert len(of_class(tree, "tile")) == placed
    places = count > 0 and not isinstance(game.actions[count - 1], Advance)
    assert len(of_class(tree, "fresh")) == places
    assert sorted(slot.find(f"{SVG}title").text for slot in of_class(tree, "slot")) == sorted(position.ring)
    assert {slot.find(f"{SVG}title").text for slot in of_class(tree, "offered")} == set(position.offer)


@few
@given(games(), st.integers(0, 999))
def test_the_neutral_token_stands_where_the_last_patch_lay_and_the_offer_follows_it(game, number):
    count = number % (len(game.actions) + 1)
    tree = read(game_svg(record_of(game.ruleset, game.ring, game.actions), count))
    (token,) = of_class(tree, "neutral")
    bought = [action.patch for action in game.actions[:count] if isinstance(action, Buy)]
    ring = Ring.of(game.positions[0], game.positions[0].ring)
    place = 1 + ring.places.index(bought[-1]) if bought else 0
    assert place_of(token) == pytest.approx(ring.middle_of(place), abs=0.01)
    here = turn_of(place_of(token))
    slots = {slot.find(f"{SVG}title").text: (turn_of(place_of(slot)) - here) % 1 for slot in of_class(tree, "slot")}
    assert tuple(sorted(slots, key=slots.get)) == game.positions[count].ring


@pytest.mark.parametrize("plies", [-1, 3])
def test_a_game_cannot_be_drawn_after_plies_that_it_does_not_have(plies):
    with pytest.raises(ValueError, match=f"the game has 2 plies, so there is nothing to see after {plies}"):
        game_svg(record_of(ORIGINAL, RING, [Advance(), Advance()]), plies)


@given(st.text(min_size=1))
def test_whatever_a_user_wrote_is_drawn_as_it_is_or_with_a_mark_for_what_cannot_be_printed(agent):
    record = record_of(ORIGINAL, RING, [Advance()], agents=(agent, "</text><script>alert(1)</script>"))
    tree = read(game_svg(record))
    told = tree.find(f"{SVG}desc").text
    printable = "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in agent)
    assert f"seat 0: {printable}; seat 1: </text><script>alert(1)</script>" in told
    assert list(tree.iter(f"{SVG}script")) == []


def test_words_hold_no_letter_that_xml_forbids():
    every = words("".join(map(chr, range(0x11000))))
    ElementTree.fromstring(f"<a>{every}</a>".encode())


def fresh(code):
    """What a new interpreter prints."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.stdout


@pytest.mark.parametrize(
    "imports",
    [
        "from patchstats.rules.position import Position",
        "from patchstats import Position, Ruleset",
        "import patchstats.notation\nfrom patchstats.rules import Position",
    ],
)
def test_a_notebook_shows_a_position_as_a_picture_and_the_rules_load_no_pictures(imports):
    code = f"""
{imports}
import sys
from patchstats.rules.ruleset import Ruleset
before = "patchstats.render" in sys.modules
position = Position.start(Ruleset.load("original"), {RING!r})
print(before, position._repr_svg_().startswith("<svg "), "matplotlib" in sys.modules)
"""
    assert fresh(code) == "False True False\n"


def test_records_and_quilts_are_shown_as_pictures_too():
    record = record_of(ORIGINAL, RING, [Buy("p02", 1, 0)])
    assert record._repr_svg_() == game_svg(record)
    quilt = Quilt.of_tiles(ORIGINAL, [PlacedTile("p01", cells=0b11)])
    assert quilt._repr_svg_() == quilt_svg(quilt)
    position = patchstats.Position.start(ORIGINAL, RING)
    assert position._repr_svg_() == position_svg(position)


def test_what_cannot_be_drawn_is_left_to_its_text():
    start = Position.start(ORIGINAL, RING)
    off = patchstats.rules.Player(space=99, buttons=0)
    beside = type(start)(**{name: getattr(start, name) for name in start.__slots__} | {"players": (off, off)})
    assert beside._repr_svg_() is None


def test_pictures_need_no_other_library():
    code = f"""
import sys
from patchstats.render import game_svg, game_page
from patchstats.notation import record_of
from patchstats.rules import Ruleset
record = record_of(Ruleset.load("original"), {RING!r}, [])
print(len(game_svg(record)) > 1000, len(game_page(record)) > 1000)
print(sorted({{"numpy", "matplotlib", "pandas", "click"}} & set(sys.modules)))
"""
    assert fresh(code) == "True True\n[]\n"


def test_a_full_game_of_the_largest_ruleset_is_drawn():
    patches = {f"x{number}": {"rows": "1", "cost": 0, "time": 1, "income": 1000} for number in range(1, 256)}
    rules = {**ORIGINAL.to_dict(), "quilt_size": 11, "finish": 255, "offer_size": 8, "start_patch": "x1"}
    ruleset = Ruleset.from_dict({**rules, "patches": patches})
    game = play_game(ruleset, list(patches), [1] * 600)
    tree = read(game_svg(record_of(ruleset, game.ring, game.actions)))
    assert len(of_class(tree, "tile")) == 242
