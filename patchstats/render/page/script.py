"""The script that steps through a game. It draws nothing: it shows, hides and moves what lies on the page, and writes
the words of the ply. The data that it reads are described in `states.py`.
"""

SCRIPT = r"""
"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const { states, side, spaces, ring, cards, patches } = game;
  const last = states.length - 1;
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.className = "script";

  const now = one("#now"), steps = one("#steps"), texts = one("#texts");
  const slider = one(".controls input"), buttons = all(".controls button");
  const items = all(".plies li"), plot = one(".scores g[data-left]"), mark = one(".now", plot);
  const quilts = all("figure.quilt"), track = one(".track svg"), circle = one(".ring svg");
  const scale = Object.fromEntries(Object.entries(plot.dataset).map(([key, value]) => [key, Number(value)]));
  let shown = null;

  const moved = (element, x, y, by) =>
    element.setAttribute("transform", `translate(${x} ${y})${by === undefined ? "" : ` scale(${by})`}`);
  const describe = (svg, title, text) => {
    one("title", svg).textContent = title;
    one("desc", svg).textContent = text;
  };
  const plural = (count, word, more) => `${count} ${count === 1 ? word : more}`;

  function showQuilt(figure, state, count) {
    const seat = Number(figure.dataset.seat);
    const [, buttonsOf, income, empty, score, bonus] = state.seats[seat];
    const tiles = all(".tile", figure);
    const lying = tiles.filter((tile) => Number(tile.dataset.since) <= count);
    for (const tile of tiles) {
      tile.classList.toggle("hidden", Number(tile.dataset.since) > count);
      tile.classList.toggle("fresh", Number(tile.dataset.since) === count);
    }
    for (const frame of all(".bonus", figure)) frame.classList.toggle("hidden", Number(frame.dataset.since) > count);
    figure.classList.toggle("on-turn", state.turn === seat);
    const values = { score, buttons: buttonsOf, income, empty, bonus: bonus ? "yes" : "no" };
    for (const [name, value] of Object.entries(values)) one(`[data-is="${name}"]`, figure).textContent = value;
    const names = lying.map((tile) => one("title", tile).textContent);
    const leathers = names.filter((name) => name === "leather").length;
    const counts = `${plural(names.length - leathers, "patch", "patches")}, ${plural(leathers, "leather", "leathers")}`;
    const size = Math.round(Math.sqrt(game.cells));
    const withBonus = bonus ? ", with the bonus" : "";
    const title = `Quilt of seat ${seat}: ${counts}, ${empty} of ${game.cells} cells empty${withBonus}`;
    describe(one("svg", figure), title, `${size} by ${size} cells; ${names.join("; ") || "nothing lies there"}`);
  }

  function showTrack(state, count) {
    const shared = state.seats[0][0] === state.seats[1][0];
    const leathers = all(".leather", track);
    for (const leather of leathers) {
      leather.classList.toggle("hidden", leather.dataset.until !== undefined && Number(leather.dataset.until) <= count);
    }
    for (const seat of [1 - state.top, state.top]) {
      const token = one(`.token[data-seat="${seat}"]`, track);
      const [x, y] = spaces[state.seats[seat][0]];
      const [right, down] = !shared ? [0, -0.06] : seat === state.top ? [0.11, -0.02] : [-0.11, -0.12];
      moved(token, x + right * side, y + down * side);
      track.append(token);
    }
    const left = leathers.filter((leather) => !leather.classList.contains("hidden")).length;
    const where = state.seats.map(([space], seat) => `seat ${seat} on space ${space}`).join(", ");
    const stack = shared ? `; the token of seat ${state.top} is on top` : "";
    describe(track, `Time board: ${where}`, `${where}${stack}; ${plural(left, "leather lies", "leathers lie")} there`);
  }

  function showRing(state, count) {
    const slots = all(".slot", circle);
    const offered = (element) => state.offer.indexOf(Number(element.dataset.patch));
    let left = 0;
    for (const slot of slots) {
      const gone = slot.dataset.until !== undefined && Number(slot.dataset.until) <= count;
      left += !gone;
      slot.classList.toggle("gone", gone);
      slot.classList.toggle("offered", offered(slot) >= 0);
    }
    for (const card of all(".card", circle)) {
      const place = offered(card);
      card.classList.toggle("hidden", place < 0);
      if (place >= 0) moved(card, ...cards[state.offer.length][place]);
    }
    one(".nothing", circle).classList.toggle("hidden", state.offer.length > 0);
    const token = one(".neutral", circle);
    moved(token, ...ring[state.token], Number(token.dataset.scale));
    const names = state.offer.map((number) => patches[number]).join(", ") || "nothing";
    one("#offer").textContent = names;
    const lying = slots.filter((slot) => !slot.classList.contains("gone"));
    const text = `places from the top, clockwise: ${lying.map((slot) => one("title", slot).textContent).join(" ")}`;
    describe(circle, `Ring of ${plural(left, "patch", "patches")}; on offer: ${names}`, text);
  }

  function showScores(state, count) {
    moved(mark, scale.left + count * scale.step, 0);
    for (const spot of all("circle", mark)) {
      const score = state.seats[spot.dataset.seat][4];
      spot.setAttribute("cy", scale.top + (scale.highest - score) * scale.point);
    }
  }

  function showSteps(state) {
    const found = new Set();
    steps.replaceChildren(...(state.steps || []).map(([words, clauses]) => {
      const item = document.createElement("li");
      item.append(words);
      for (const clause of clauses) {
        found.add(clause);
        const link = document.createElement("a");
        link.className = "clause";
        link.href = `#clause-${clause}`;
        link.textContent = clause;
        item.append(" ", link);
      }
      return item;
    }));
    texts.hidden = found.size === 0;
    const parts = all(".clauses > div").filter((part) => found.has(part.id.slice("clause-".length)));
    one("dl", texts).replaceChildren(...parts.map((part) => {
      const copy = part.cloneNode(true);
      copy.removeAttribute("id");
      return copy;
    }));
  }

  function go(wanted) {
    const count = Math.min(Math.max(wanted, 0), last);
    if (count === shown) return;
    const state = states[count];
    if (shown > 0) items[shown - 1].removeAttribute("aria-current");
    if (count > 0) items[count - 1].setAttribute("aria-current", "step");
    shown = count;
    for (const figure of quilts) showQuilt(figure, state, count);
    showTrack(state, count);
    showRing(state, count);
    showScores(state, count);
    showSteps(state);
    const done = count ? one(".told", items[count - 1]).textContent : "";
    const told = count ? `Ply ${count - 1}: seat ${state.seat} ${done}.` : "Before the first ply.";
    now.textContent = `${told} ${state.head}`;
    if (count) now.dataset.seat = state.seat;
    else delete now.dataset.seat;
    slider.value = count;
    slider.setAttribute("aria-valuetext", count ? `after ply ${count - 1}` : "before the first ply");
    for (const button of buttons) {
      const idle = ["first", "back"].includes(button.dataset.go) ? count === 0 : count === last;
      button.setAttribute("aria-disabled", idle);
    }
  }

  const ways = { first: () => 0, back: () => shown - 1, next: () => shown + 1, last: () => last };
  const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last" };
  for (const button of buttons) button.addEventListener("click", () => go(ways[button.dataset.go]()));
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !(event.key in keys)) return;
    event.preventDefault();
    go(ways[keys[event.key]]());
  });
  items.forEach((item, place) => {
    item.removeAttribute("id");  // or an address that ends in #ply-3 would scroll to the list
    one("a", item).addEventListener("click", (event) => {
      event.preventDefault();
      go(place + 1);
      now.scrollIntoView();
    });
  });
  one(".scores svg").addEventListener("click", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
    go(Math.round((at.x - scale.left) / scale.step));
  });
  const fromAddress = () => {
    const found = /^#ply-(\d+)$/.exec(location.hash);
    if (found) go(Number(found[1]) + 1);
    return found !== null;
  };
  window.addEventListener("hashchange", fromAddress);
  if (!fromAddress()) go(0);
})();
"""
