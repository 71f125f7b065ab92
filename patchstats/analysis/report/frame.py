"""What is around the words of a page: its head, its style, and the script that sorts tables.

Nothing is loaded from anywhere, and the page forbids itself to. Without JavaScript and on paper it says the same.
"""

from __future__ import annotations

from string import Template

from patchstats.analysis.figures.style import INK, MARK, MUTED
from patchstats.render.document import document

_STYLE = Template("""
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; background: #fff; color: $ink;
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { margin-top: 2.5rem; border-bottom: 2px solid $muted; font-size: 1.3rem; }
h3 { font-size: 1.05rem; }
a { color: $mark; }
p, ul, dl { max-width: 44rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.2rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; }
code { font-size: 0.875rem; }
pre { white-space: pre-wrap; padding: 0.5rem 0.75rem; background: #f6f1e7; }
figure { margin: 1rem 0; }
figure svg, .quilts svg { max-width: 100%; height: auto; }
svg * { stroke-linejoin: round; stroke-linecap: butt; }
figcaption { font-size: 0.875rem; }
.quilts { display: flex; flex-wrap: wrap; gap: 1rem; }
.quilts figure { flex: 0 1 20rem; min-width: 0; margin: 0; }
.box { position: relative; overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid #e3dac9; text-align: right; white-space: nowrap; }
thead th { vertical-align: bottom; border-bottom-color: $muted; white-space: normal; min-width: 4rem; }
th:first-child, td:first-child { text-align: left; }
td.words { text-align: left; white-space: normal; min-width: 10rem; }
tbody th { font-weight: 600; white-space: normal; }
.sortable th:first-child { position: sticky; left: 0; background: #fff; }
thead button { all: unset; cursor: pointer; text-decoration: underline dotted; }
thead button:focus-visible, .box:focus-visible { outline: 2px solid $mark; }
th[aria-sort="ascending"] button::after { content: " \\2191"; }
th[aria-sort="descending"] button::after { content: " \\2193"; }
.missing { padding-left: 0.75rem; border-left: 3px solid $muted; }
@page { margin: 14mm; }
@page wide { size: A4 landscape; margin: 10mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .screen { display: none; }
  thead button { text-decoration: none; }
  thead button::after { content: none !important; }
  h2, h3 { break-after: avoid; }
  figure, .game, tr, pre { break-inside: avoid; }
  thead { display: table-header-group; }
  .box { overflow: visible; }
  .wide { page: wide; }
  .wide table { font-size: 6.5pt; }
  .wide th, .wide td { padding: 0.1rem 0.25rem; }
  .wide thead th { min-width: 0; }
}
""").substitute(ink=INK, muted=MUTED, mark=MARK)

_SCRIPT = """
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    if (!head.hasAttribute("data-sorts")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => Number(row.cells[place].dataset.value ?? NaN);
      const rows = [...table.tBodies[0].rows].sort((one, two) => {
        const [first, second] = [value(one), value(two)];
        if (isNaN(first) || isNaN(second)) return isNaN(first) - isNaN(second);
        return down ? second - first : first - second;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
"""

_BODY = Template("""<header>
<h1>$title</h1>
$lead
</header>
$nav
<main>
$sections
</main>""")


def framed(title: str, lead: str, sections: dict[str, str]) -> str:
    """Return a page of these sections, each by its heading; all texts are HTML already.

    >>> framed("A run", "<p>Two games.</p>", {"Length": "<p>Long.</p>"}).count("Length")
    2
    """
    ids = {heading: f"section-{number}" for number, heading in enumerate(sections, start=1)}
    links = "".join(f'<li><a href="#{ids[heading]}">{heading}</a></li>' for heading in sections)
    parts = [
        f'<section aria-labelledby="{ids[heading]}">\n<h2 id="{ids[heading]}">{heading}</h2>\n{words}\n</section>'
        for heading, words in sections.items()
    ]
    nav = f'<nav aria-label="Contents"><ul>{links}</ul></nav>'
    body = _BODY.substitute(title=title, lead=lead, nav=nav, sections="\n".join(parts))
    return document(title, style=_STYLE, body=body, script=_SCRIPT)
