"""A report in a browser: it fits a phone, its table sorts, it prints, and nothing is loaded or complained about."""

import base64

import pytest

from patchstats import simulate
from patchstats.analysis.report import collect, page

PHONE, DESK = 360, 1280


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where a page lies on disk, with all its sections but the surplus, and with an agent of a long name."""
    folder = tmp_path_factory.mktemp("page")
    agents = ["random-patch", "no-income-3+no-advance-unless-forced+leather-racer+random-patch"]
    run = simulate(games=60, seed=1, agents=agents, log="turns", out=folder / "run", workers=1)
    file = folder / "page.html"
    file.write_text(page(collect(run)), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def opened(on_screen, address):
    """A function that opens the page on a screen so many pixels wide."""
    return lambda width: on_screen(address, width)


def column(browser, place):
    """What the cells of a column of the table of patches show, from top to bottom."""
    rows = "[...document.querySelectorAll('table.sortable tbody tr')]"
    return browser.execute_script(f"return {rows}.map((row) => row.cells[arguments[0]].innerText)", place)


def heads(browser):
    return browser.find_elements("css selector", "table.sortable thead th")


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_page_is_no_wider_than_the_screen(opened, width):
    browser = opened(width)
    assert browser.execute_script("return window.innerWidth") == width
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    beyond = browser.execute_script(
        "return [...document.querySelectorAll('body *')].filter((one) => !one.closest('.box table, svg svg, svg *')"
        " && one.getBoundingClientRect().right > window.innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"
    )
    assert beyond == []


def test_a_wide_table_scrolls_in_its_own_box(opened):
    browser = opened(PHONE)
    box = browser.find_element("css selector", ".wide .box")
    scrolled = browser.execute_script("arguments[0].scrollLeft = 50; return arguments[0].scrollLeft", box)
    assert box.size["width"] <= PHONE
    assert scrolled == 50


def test_a_click_on_a_head_sorts_and_another_one_turns_it_round(opened):
    browser = opened(DESK)
    names = [head.text for head in heads(browser)]
    place = names.index("cost")
    before = column(browser, 0)
    heads(browser)[place].find_element("tag name", "button").click()
    costs = list(map(int, column(browser, place)))
    assert costs == sorted(costs, reverse=True)
    assert heads(browser)[place].get_attribute("aria-sort") == "descending"
    heads(browser)[place].find_element("tag name", "button").click()
    costs = list(map(int, column(browser, place)))
    assert costs == sorted(costs)
    assert heads(browser)[place].get_attribute("aria-sort") == "ascending"
    assert sorted(column(browser, 0)) == before
    assert column(browser, 0) != before


def test_what_has_no_number_comes_last_both_ways(opened):
    browser = opened(DESK)
    place = [head.text for head in heads(browser)].index("first offer, pp")
    for _ in range(2):
        heads(browser)[place].find_element("tag name", "button").click()
        values = column(browser, place)
        assert values[-1] == ""  # the patch behind the neutral token is never in the first offer
        assert values[0] != ""


def test_without_scripts_there_is_everything_but_the_sorting(browser, opened):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened(DESK)
    assert len(browser.find_elements("css selector", "table.sortable tbody tr")) == 33
    assert browser.find_elements("css selector", "button") == []


def test_nothing_is_loaded_and_nothing_complained_about(opened):
    browser = opened(DESK)
    assert browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)") == []
    assert browser.get_log("browser") == []


def test_it_prints_without_controls(opened):
    browser = opened(DESK)
    printed = base64.b64decode(browser.print_page())
    assert printed.startswith(b"%PDF-")
    assert printed.rstrip().endswith(b"%%EOF")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert browser.execute_script(shown, "nav") == "none"
    assert browser.execute_script(shown, "p.screen") == "none"
    assert browser.execute_script("return getComputedStyle(document.querySelector('.box')).overflowX") == "visible"
