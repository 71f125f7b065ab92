"""What is around the words of a page: its head, its places for what is shown, and its style.

Nothing is loaded from anywhere, and the page forbids itself to. Without JavaScript and on paper it shows the same,
without controls.
"""

from __future__ import annotations

from string import Template

from patchstats.render.document import document
from patchstats.render.figures import BONUS, CLOTH, FRAME, GRID, INK
from patchstats.render.page.script import SCRIPT
from patchstats.render.svg.pieces import QUIET, SEATS
from patchstats.render.svg.ring import HALO

_STYLE = Template("""
:root { color-scheme: light; --seat-0: $seat_0; --seat-1: $seat_1; }
* { box-sizing: border-box; }
[hidden], svg .hidden, .no-script .controls { display: none !important; }
body { margin: 0 auto; max-width: 76rem; padding: 0.75rem; background: #fff; color: $ink;
  font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.25rem; font-size: 1.3rem; line-height: 1.2; }
h2 { margin: 2rem 0 0.5rem; border-bottom: 2px solid $frame; font-size: 1.1rem; }
header p, figure { margin: 0; }
svg { display: block; width: 100%; height: auto; }
a { color: #005a8c; }
code { font-size: 0.875rem; }
.seat-0 { color: var(--seat-0); } .seat-1 { color: #b34e00; }
.disc { display: inline-block; min-width: 1.35em; border-radius: 1em; color: #fff; font-weight: 700;
  line-height: 1.35em; text-align: center; }
.disc.seat-0 { background: var(--seat-0); } .disc.seat-1 { background: #b34e00; }
.stage { display: flex; flex-direction: column; gap: 0.75rem; margin-top: 0.75rem; }
.table, .tell { display: contents; }
#now { order: 1; min-height: 4.4em; margin: 0; padding: 0.5rem 0.75rem; border-left: 5px solid $frame;
  background: $cloth; }
#now[data-seat="0"] { border-color: var(--seat-0); } #now[data-seat="1"] { border-color: var(--seat-1); }
.quilts { order: 2; display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.5rem; }
.what { order: 3; } .boards { order: 4; display: grid; gap: 0.75rem; } .scores { order: 5; }
.boards figure, .scores { width: 100%; max-width: 32rem; margin: 0 auto; }
figcaption, .numbers { font-size: 0.875rem; }
.quilt { display: grid; grid-row: span 3; grid-template-rows: subgrid; gap: 0; padding: 0.25rem;
  border: 2px solid transparent; border-radius: 0.5rem; }
.quilt.on-turn[data-seat="0"] { border-color: var(--seat-0); }
.quilt.on-turn[data-seat="1"] { border-color: var(--seat-1); }
.agent { display: block; color: $quiet; font-size: 0.8125rem; line-height: 1.25; max-height: 2.5em; overflow: hidden; }
.numbers { display: flex; flex-wrap: wrap; align-content: start; gap: 0 0.55rem; margin: 0.25rem 0 0;
  white-space: nowrap; font-variant-numeric: tabular-nums; }
.boards figcaption { text-align: center; color: $quiet; }
.tile.fresh .edge { stroke: $ink; stroke-width: 4; }
.slot .halo { display: none; fill: $halo; stroke: $ink; stroke-width: 1.2; } .slot.offered .halo { display: inline; }
.slot.gone { opacity: 0.1; } .slot.gone .halo { display: none; }
.scores svg { cursor: pointer; }
.what h2, .scores h2 { margin-top: 0; }
.what ol { margin: 0; padding-left: 1.4rem; }
.what li { margin-bottom: 0.15rem; }
.clause, .touched { font-size: 0.8125rem; color: $quiet; }
.clause { display: inline-block; padding: 0 0.3rem; border: 1px solid $grid; border-radius: 0.3rem; color: #005a8c; }
details { margin-top: 0.5rem; } summary { cursor: pointer; }
dt { margin-top: 0.6rem; font-weight: 600; } dd { margin: 0; max-width: 60rem; }
.clauses > div:target { background: $cloth; outline: 2px solid $bonus; }
.plies { margin: 0; padding: 0; list-style: none; font-size: 0.9375rem; }
.plies li { padding: 0.2rem 0.4rem; border-bottom: 1px solid $grid; }
.plies a { color: inherit; text-decoration: none; } .plies a:hover { text-decoration: underline; }
.plies .number { display: inline-block; min-width: 1.6rem; color: $quiet; font-variant-numeric: tabular-nums; }
.plies [aria-current] { background: #fdf0c8; box-shadow: inset 4px 0 $ink; }
:focus-visible { outline: 3px solid $ink; outline-offset: 2px; border-radius: 3px; }
.controls { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.35rem; position: fixed; z-index: 2;
  left: 0; right: 0; bottom: 0; padding: 0.5rem 0.75rem calc(0.5rem + env(safe-area-inset-bottom));
  border-top: 1px solid $frame; background: #fff; }
.script body { padding-bottom: 7rem; }
.script { scroll-padding-bottom: 7rem; }
.controls button { min-height: 2.75rem; padding: 0 0.25rem; border: 1px solid $frame; border-radius: 0.4rem;
  background: $cloth; color: $ink; font: inherit; cursor: pointer; }
.controls button:hover { background: $grid; }
.controls button[aria-disabled="true"] { color: #8b8076; cursor: default; }
.controls input { grid-column: 1 / -1; width: 100%; height: 1.5rem; margin: 0; accent-color: $ink; }
.keys { display: none; }
@media (max-width: 30rem) { .quilt .id { display: none; } .names text { font-size: 18.5px; } }
@media (min-width: 60rem) {
  .stage { display: grid; grid-template-columns: minmax(0, 1fr) 23rem; gap: 1.5rem; align-items: start; }
  .table, .tell { display: flex; flex-direction: column; gap: 1rem; }
  .quilts, .boards { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; align-items: center; }
  .table { grid-column: 1; grid-row: 1; }
  .tell { grid-column: 2; grid-row: 1; }
  #now { min-height: 7.4em; }
  .controls { position: static; order: 2; padding: 0; border: 0; }
  .scores { order: 3; } .what { order: 4; }
  .keys { display: block; order: 6; margin: 0; color: $quiet; font-size: 0.8125rem; }
  .script body { padding-bottom: 1rem; } .script { scroll-padding-bottom: 0; }
  .no-script .keys { display: none; }
}
@page { margin: 12mm; }
@media print {
  body { max-width: none; padding: 0 !important; font-size: 9.5pt; }
  .controls, .keys { display: none !important; }
  .stage { display: block; } .tell { display: block; }
  .table { display: block; }
  .quilts, .boards { grid-template-columns: repeat(2, 1fr); align-items: center; }
  #now { min-height: 0; }
  .scores { max-width: 12cm; margin: 0.5rem 0; }
  figure, .plies li, .clauses > div { break-inside: avoid; } h2 { break-after: avoid; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
""").substitute(
    halo=HALO["fill"],
    ink=INK,
    frame=FRAME,
    grid=GRID,
    cloth=CLOTH,
    bonus=BONUS,
    quiet=QUIET,
    seat_0=SEATS[0],
    seat_1=SEATS[1],
)

_BODY = Template("""<header>
<h1>A game of Patchwork</h1>
$lead
<noscript><p>Without JavaScript this page shows how the game ends, and the list of its plies.</p></noscript>
</header>
<main>
<div class="stage">
<div class="tell">
<p id="now"$acted role="status" aria-live="polite" aria-atomic="true">$now</p>
<div class="controls" role="group" aria-label="Step through the game">
<button type="button" data-go="first" aria-keyshortcuts="Home">|◀ Start</button>
<button type="button" data-go="back" aria-keyshortcuts="ArrowLeft">◀ Back</button>
<button type="button" data-go="next" aria-keyshortcuts="ArrowRight">Next ▶</button>
<button type="button" data-go="last" aria-keyshortcuts="End">End ▶|</button>
<input type="range" min="0" max="$last" value="$last" aria-label="How many plies have been played">
</div>
<section class="scores" aria-label="Scores">$chart</section>
<section class="what" aria-labelledby="what-head">
<h2 id="what-head">What happened</h2>
<ol id="steps">$steps</ol>
<details id="texts" hidden><summary>What these clauses say</summary><dl></dl></details>
</section>
<p class="keys">Keys: ← and → step, Home and End go to the start and the end.</p>
</div>
<div class="table">
<div class="quilts">
$quilts</div>
<div class="boards">
$boards</div>
</div>
</div>
<section aria-labelledby="plies-head">
<h2 id="plies-head">All plies</h2>
<ol class="plies" start="0">
$plies
</ol>
</section>
<section aria-labelledby="clauses-head">
<h2 id="clauses-head">The clauses that this game touches</h2>
<dl class="clauses">
$rulebook
</dl>
</section>
</main>
<script type="application/json" id="game">$data</script>""")


def framed(title: str, **parts: object) -> str:
    """Return a page with a title and these parts in their places; all of them are HTML already.

    `last` is the number of plies, and `acted` an attribute that says who acted last.

    >>> names = ["lead", "now", "acted", "chart", "quilts", "boards", "steps", "plies", "rulebook", "data"]
    >>> framed("A game", last=3, **{name: f"<!--{name}-->" for name in names}).count("<!--lead-->")
    1
    """
    return document(title, style=_STYLE, body=_BODY.substitute(parts), script=SCRIPT, kind="no-script")
