"""The page of a game in a browser: at every ply it shows what the engine says, on any screen and by keyboard alone."""

import base64

import pytest

from patchstats.conformance.golden import golden_games
from patchstats.notation import parse_record, record_of, replay_record, start_of
from patchstats.render import game_page
from patchstats.rules import Advance, Ruleset

PHONE, DESK = 360, 1280
GAMES = {game.name: game for game in golden_games()}
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"

#: What the page shows, read from it at once; what is hidden does not count.
SHOWN = """
const seen = (one) => getComputedStyle(one).display !== "none" && one.closest(".hidden") === null;
const all = (selector, root = document) => [...root.querySelectorAll(selector)].filter(seen);
const title = (one) => one.querySelector("title").textContent;
const middle = (one) => {
  const box = one.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
};
const spaces = all(".track .place").map(middle);
const nearest = (one) => {
  const [x, y] = middle(one);
  const far = spaces.map(([a, b]) => Math.hypot(x - a, y - b));
  return far.indexOf(Math.min(...far));
};
return {
  quilts: all("figure.quilt").map((figure) => ({
    numbers: Object.fromEntries(all("[data-is]", figure).map((one) => [one.dataset.is, one.textContent])),
    tiles: all(".tile", figure).map((tile) => title(tile).split(":")[0]),
    bonus: all(".bonus", figure).length,
    fresh: all(".tile.fresh", figure).length,
    turn: figure.classList.contains("on-turn"),
    title: title(figure.querySelector("svg")),
  })),
  leathers: all(".track .leather").map(nearest),
  tokens: all(".track .token").map((token) => [Number(token.dataset.seat), nearest(token)]),
  ring: all(".ring .slot:not(.gone)").map(title),
  offered: all(".ring .slot.offered").map(title),
  cards: all(".ring .card").map((card) => card.querySelector("text").textContent),
  offer: document.getElementById("offer").textContent,
  now: document.getElementById("now").textContent,
  current: all(".plies [aria-current]").map((one) => Number(one.querySelector(".number").textContent)),
  clauses: all("#steps .clause").map((one) => one.textContent),
};
"""


def record_named(name):
    return parse_record(GAMES[name].written(), GAMES[name].rules)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A function that writes the page of a golden game and says where it lies."""
    folder = tmp_path_factory.mktemp("games")

    def address(name, record=None):
        file = folder / f"{name}.html"
        if not file.exists():
            file.write_text(game_page(record or record_named(name)), encoding="utf-8")
        return file.as_uri()

    return address


def check(shown, position, count, ply):
    """What is shown is what the position says, and the last tile is pointed out."""
    for seat, (quilt, player) in enumerate(zip(shown["quilts"], position.players, strict=True)):
        assert quilt["numbers"] == {
            "score": str(position.score(seat)),
            "buttons": str(player.buttons),
            "income": str(player.income),
            "empty": str(position.empty_cells(seat)),
            "bonus": "yes" if position.bonus_owner == seat else "no",
        }
        assert sorted(quilt["tiles"]) == sorted([*player.patches, *["leather"] * player.leathers])
        assert quilt["bonus"] == (position.bonus_owner == seat)
        assert quilt["turn"] == (position.seat_on_turn == seat)
        assert f"{position.empty_cells(seat)} of {position.ruleset.quilt_size**2} cells empty" in quilt["title"]
    assert sorted(shown["leathers"]) == sorted(position.leather_marks)
    spaces = [player.space for player in position.players]
    assert shown["tokens"] == [[seat, spaces[seat]] for seat in (1 - position.top, position.top)]
    assert sorted(shown["ring"]) == sorted(position.ring)
    assert sorted(shown["offered"]) == sorted(shown["cards"]) == sorted(position.offer)
    assert shown["offer"] == (", ".join(position.offer) or "nothing")
    assert shown["current"] == ([count - 1] if count else [])
    assert shown["now"].startswith(f"Ply {count - 1}: seat {ply.seat} " if count else "Before the first ply.")
    places = ply is not None and not isinstance(ply.action, Advance)
    assert sum(quilt["fresh"] for quilt in shown["quilts"]) == places


@pytest.mark.parametrize("name", ["bonus-by-a-leather", "small-full-quilt"])
def test_at_every_ply_the_page_shows_what_the_engine_says(on_screen, address, name):
    browser = on_screen(address(name), DESK)
    record = record_named(name)
    plies = replay_record(record)
    check(browser.execute_script(SHOWN), start_of(record), 0, None)
    for count, ply in enumerate(plies, start=1):
        press(browser, "ArrowRight")
        shown = browser.execute_script(SHOWN)
        check(shown, ply.after, count, ply)
        assert shown["clauses"]
    press(browser, "ArrowRight")  # there is nothing beyond the end
    check(browser.execute_script(SHOWN), plies[-1].after, len(plies), plies[-1])
    for _ in range(3):
        press(browser, "ArrowLeft")
    check(browser.execute_script(SHOWN), plies[-4].after, len(plies) - 3, plies[-4])
    press(browser, "Home")
    check(browser.execute_script(SHOWN), start_of(record), 0, None)
    press(browser, "ArrowLeft")
    check(browser.execute_script(SHOWN), start_of(record), 0, None)
    press(browser, "End")
    check(browser.execute_script(SHOWN), plies[-1].after, len(plies), plies[-1])


def press(browser, key):
    """Press a key where the focus is."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    names = {"ArrowLeft": Keys.ARROW_LEFT, "ArrowRight": Keys.ARROW_RIGHT, "Home": Keys.HOME, "End": Keys.END}
    ActionChains(browser, duration=0).send_keys(names.get(key) or getattr(Keys, key.upper())).perform()


def ply_shown(browser):
    """The number of plies that have been played."""
    return int(browser.execute_script("return document.querySelector('.controls input').value"))


def test_keys_with_others_held_down_are_left_to_the_browser(on_screen, address):
    browser = on_screen(address("bonus-by-a-leather"), DESK)
    for modifier in (1, 2, 4, 8):  # alt, control, meta, shift
        prevented = "window.came = []; addEventListener('keydown', (event) => came.push(event.defaultPrevented))"
        browser.execute_script(prevented)
        held = {f"{name}Key": bit == modifier for name, bit in {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}.items()}
        browser.execute_script(
            "document.body.dispatchEvent(new KeyboardEvent('keydown',"
            " {key: 'ArrowRight', bubbles: true, cancelable: true, ...arguments[0]}))",
            held,
        )
        assert browser.execute_script("return came") == [False]
        browser.get(browser.current_url)
    assert ply_shown(browser) == 0


def test_the_page_can_be_used_by_keyboard_alone_and_one_sees_where_one_is(on_screen, address):
    browser = on_screen(address("bonus-by-a-leather"), DESK)
    reached = []
    for _ in range(5):
        press(browser, "Tab")
        reached.append(
            browser.execute_script(
                "const one = document.activeElement; const style = getComputedStyle(one);"
                "return [one.dataset.go || one.type, style.outlineStyle, parseFloat(style.outlineWidth)]"
            )
        )
    assert [name for name, _, _ in reached] == ["first", "back", "next", "last", "range"]
    assert all(style == "solid" and width >= 2 for _, style, width in reached)
    browser.execute_script("document.querySelector('[data-go=next]').focus()")
    last = len(record_named("bonus-by-a-leather").actions)
    for played in (1, 2):
        press(browser, "Enter")
        assert ply_shown(browser) == played
    browser.execute_script("document.querySelector('[data-go=last]').focus()")
    press(browser, "Enter")
    press(browser, "Enter")
    assert ply_shown(browser) == last
    focused = "return [document.activeElement.dataset.go, document.activeElement.getAttribute('aria-disabled')]"
    assert browser.execute_script(focused) == ["last", "true"]


def test_what_is_shown_is_announced(on_screen, address):
    browser = on_screen(address("bonus-by-a-leather"), DESK)
    now = browser.find_element("id", "now")
    assert (now.get_attribute("role"), now.get_attribute("aria-live")) == ("status", "polite")
    before = now.text
    browser.find_element("css selector", "[data-go=next]").click()
    assert now.text != before
    slider = browser.find_element("css selector", ".controls input")
    assert slider.get_attribute("aria-valuetext") == "after ply 0"
    for svg in browser.find_elements("css selector", "svg"):
        assert svg.get_attribute("role") == "img"
        assert browser.execute_script("return arguments[0].firstElementChild.tagName", svg) == "title"


def test_the_list_the_chart_the_slider_and_the_address_lead_to_a_ply(on_screen, address):
    place = address("bonus-by-a-leather")
    browser = on_screen(f"{place}#ply-7", DESK)
    assert ply_shown(browser) == 8
    assert browser.execute_script("return scrollY") == 0
    browser.execute_script("location.hash = '#ply-3'")
    browser.execute_async_script("const done = arguments[0]; setTimeout(done, 50)")
    assert ply_shown(browser) == 4
    browser.execute_script("document.querySelectorAll('.plies a')[11].click()")
    assert ply_shown(browser) == 12
    last = len(record_named("bonus-by-a-leather").actions)
    browser.execute_script(
        "const plot = document.querySelector('.scores svg'), box = plot.getBoundingClientRect();"
        "plot.dispatchEvent(new MouseEvent('click', {clientX: box.right - 1, clientY: box.top + 20}))"
    )
    assert ply_shown(browser) == last
    browser.execute_script(
        "const slider = document.querySelector('.controls input'); slider.value = 5;"
        "slider.dispatchEvent(new Event('input'))"
    )
    assert browser.find_element("id", "now").text.startswith("Ply 4:")


def test_the_chart_marks_the_score_of_the_ply(on_screen, address):
    browser = on_screen(f"{address('bonus-by-a-leather')}#ply-9", DESK)
    record = record_named("bonus-by-a-leather")
    marked, lines = browser.execute_script(
        "const all = (selector) => [...document.querySelectorAll('.scores ' + selector)];"
        "const spots = all('.now circle').map((one) => Number(one.getAttribute('cy')));"
        "const x = Number(/[\\d.]+/.exec(all('.now')[0].getAttribute('transform'))[0]);"
        "return [[x, ...spots], all('polyline').map((line) => [...line.points].map((point) => [point.x, point.y]))]"
    )
    assert [len(line) for line in lines] == [len(record.actions) + 1] * 2
    for line, spot in zip(lines, marked[1:], strict=True):
        assert line[10] == pytest.approx([marked[0], spot], abs=0.05)
    after = replay_record(record)[9].after
    higher = 0 if after.score(0) > after.score(1) else 1
    assert marked[1 + higher] < marked[2 - higher]


def test_clauses_of_a_ply_lead_to_their_texts(on_screen, address):
    browser = on_screen(f"{address('bonus-by-a-leather')}#ply-9", PHONE)
    chips = browser.find_elements("css selector", "#steps .clause")
    texts = browser.execute_script("return [...document.querySelectorAll('#texts dt')].map((one) => one.textContent)")
    assert {text.split()[0] for text in texts} == {chip.text for chip in chips}
    for chip in chips:
        target = chip.get_attribute("href").partition("#")[2]
        (entry,) = browser.execute_script("return [document.getElementById(arguments[0]).textContent]", target)
        assert entry.startswith(f"{chip.text} ")
        assert len(entry) > 40


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("name", ["bonus-by-a-leather", "hostile"])
def test_the_page_is_no_wider_than_the_screen_and_what_it_says_can_be_read(on_screen, address, width, name):
    record = None
    if name == "hostile":
        ring = [f"p{number:02}" for number in range(1, 34)]
        record = record_of(Ruleset.load("original"), ring, [Advance()] * 5, agents=(HOSTILE, "w" * 300))
    browser = on_screen(f"{address(name, record)}#ply-4", width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    beyond = browser.execute_script(
        "return [...document.querySelectorAll('body *')].filter((one) => !one.closest('svg *')"
        " && one.getBoundingClientRect().right > window.innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    small = browser.execute_script(
        "return [...document.querySelectorAll('body *')].filter((one) => [...one.childNodes].some((node) =>"
        " node.nodeType === 3 && node.data.trim()) && !['SCRIPT', 'title', 'desc'].includes(one.tagName)"
        " && one.getBoundingClientRect().height).map((one) => {"
        " const inSvg = one.ownerSVGElement, size = parseFloat(getComputedStyle(one).fontSize);"
        " return [one.outerHTML.slice(0, 60), inSvg ? size * one.getScreenCTM().a : size]; })"
        ".filter(([, size]) => size < 8.9)"
    )
    assert small == []


def test_the_controls_stay_in_reach_of_a_thumb(on_screen, address):
    browser = on_screen(address("bonus-by-a-leather"), PHONE)
    for part in (0, 0.5, 1):
        browser.execute_script("scrollTo(0, arguments[0] * document.documentElement.scrollHeight)", part)
        boxes = browser.execute_script(
            "const buttons = [...document.querySelectorAll('.controls button')];"
            "return buttons.map((one) => one.getBoundingClientRect().toJSON())"
        )
        for box in boxes:
            assert 0 <= box["top"] < box["bottom"] <= 740
            assert min(box["width"], box["height"]) >= 44


def test_what_a_user_wrote_is_shown_and_not_obeyed(on_screen, address):
    ring = [f"p{number:02}" for number in range(1, 34)]
    record = record_of(Ruleset.load("original"), ring, [Advance()] * 5, agents=(HOSTILE, "w" * 300))
    browser = on_screen(address("hostile", record), DESK)
    press(browser, "ArrowRight")
    assert "taken" not in browser.title
    assert HOSTILE in browser.find_element("css selector", "header").text
    assert browser.find_elements("css selector", "img") == []
    assert browser.get_log("browser") == []


def test_without_scripts_the_end_and_the_list_of_plies_are_there(browser, on_screen, address):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    on_screen(address("bonus-by-a-leather"), DESK)
    plies = replay_record(record_named("bonus-by-a-leather"))
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})  # the page's own have not run
    shown = browser.execute_script(SHOWN)
    # No ply is marked in the list, and no tile as the last.
    shown["current"] = [len(plies) - 1]
    shown["quilts"][0]["fresh"] = not isinstance(plies[-1].action, Advance)
    check(shown, plies[-1].after, len(plies), plies[-1])
    assert len(browser.find_elements("css selector", ".plies li")) == len(plies)
    assert not browser.find_element("css selector", ".controls").is_displayed()
    assert browser.find_element("css selector", "noscript, header").is_displayed()


@pytest.mark.parametrize("name", ["bonus-by-a-leather", "small-full-quilt"])
def test_nothing_is_loaded_and_nothing_complained_about(on_screen, address, name):
    browser = on_screen(address(name), DESK)
    press(browser, "End")
    assert browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)") == []
    assert browser.get_log("browser") == []


def test_it_prints_the_ply_that_is_shown_without_controls(browser, on_screen, address):
    on_screen(f"{address('bonus-by-a-leather')}#ply-7", DESK)
    printed = base64.b64decode(browser.print_page())
    assert printed.startswith(b"%PDF-")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not browser.find_element("css selector", ".controls").is_displayed()
    assert browser.find_element("id", "now").is_displayed()
    assert browser.find_element("id", "now").text.startswith("Ply 7:")
    assert all(svg.is_displayed() for svg in browser.find_elements("css selector", ".table figure > svg"))
