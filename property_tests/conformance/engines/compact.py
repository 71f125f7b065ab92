"""A small Patchwork engine of another make, with the standard library alone: sets of pairs, one dictionary, no classes.

It knows nothing of patchstats but docs/protocol.md. Started without an argument it plays by the rules; an argument
names the one mistake that it makes, one of those in `MISTAKES`, and another what it cannot do, as `without:perft`.
"""

import json
import sys

MISTAKES = [
    "income-by-landing-only",
    "income-by-passing-only",
    "income-again-when-leaving",
    "one-income-a-move",
    "finish-pays-twice",
    "new-patch-pays-later",
    "income-helps-to-pay",
    "leather-by-passing-only",
    "leather-twice",
    "leather-optional",
    "leather-anywhere",
    "leather-waits-for-room",
    "no-bonus-by-leather",
    "other-token-on-top",
    "seats-alternate",
    "advance-pays-one-too-few",
    "advance-pays-beyond-the-finish",
    "advance-lands-on-the-other",
    "past-the-finish",
    "stops-short-of-the-finish",
    "bonus-twice",
    "bonus-for-a-smaller-square",
    "bonus-is-buttons",
    "neutral-token-stays",
    "neutral-token-before-the-start-patch",
    "offer-of-four",
    "offer-goes-round",
    "no-flips",
    "one-button-too-few",
    "keeps-the-last-button",
    "patches-must-touch",
    "slips-become-advances",
    "pays-before-it-looks",
    "buttons-for-bought-spaces",
    "ends-at-the-first-arrival",
    "tie-goes-to-seat-0",
    "one-point-a-gap",
    "no-score-below-zero",
    "incomes-score",
]
WORDS = sys.argv[1:] if __name__ == "__main__" else []
WITHOUT = {name for word in WORDS if word.startswith("without:") for name in word.removeprefix("without:").split(",")}
MISTAKE = next((word for word in WORDS if not word.startswith("without:")), "")
assert not MISTAKE or MISTAKE in MISTAKES, f"no such mistake: {MISTAKE}"

TOLD = ["seat_on_turn", "space", "buttons", "income", "covered", "empty", "leathers", "score", "offer", "ring"]
TOLD += ["leather_marks", "waiting", "set_aside", "bonus_owner", "first_finisher", "finished", "winner"]
SHAPES = {}


def wrong(name):
    return name == MISTAKE


def shapes(rows, size):
    """All placements of a patch on an empty quilt, each a set of cells."""
    if (rows, size) not in SHAPES:
        cells = [(r, c) for r, row in enumerate(rows.split("/")) for c, mark in enumerate(row) if mark == "1"]
        forms = set()
        for side in [cells] if wrong("no-flips") else [cells, [(r, -c) for r, c in cells]]:
            for _ in range(4):
                side = [(c, -r) for r, c in side]
                top, left = min(r for r, _ in side), min(c for _, c in side)
                forms.add(frozenset((r - top, c - left) for r, c in side))
        found = [frozenset((r + i, c + j) for r, c in form) for form in forms for i in range(size) for j in range(size)]
        SHAPES[rows, size] = [one for one in found if max(map(max, one)) < size]
    return SHAPES[rows, size]


def new_game(rules, ring):
    turn = ring.index(rules["start_patch"]) + (0 if wrong("neutral-token-before-the-start-patch") else 1)
    seats = [{"space": 0, "buttons": rules["start_buttons"], "income": 0, "cells": set(), "leathers": 0} for _ in "01"]
    game = {"rules": rules, "ring": ring[turn:] + ring[:turn], "seats": seats, "last": 0, "mine": [[], []]}
    return {**game, "marks": sorted(rules["leather_marks"]), "waiting": 0, "aside": 0, "bonus": None, "first": None}


def set_up(rules, given):
    seats = []
    for seat in (0, 1):
        rows = given["covered"][seat].split("/")
        cells = {(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "1"}
        seats.append({key: given[key][seat] for key in ("space", "buttons", "income", "leathers")} | {"cells": cells})
    game = {"rules": rules, "ring": list(given["ring"]), "seats": seats, "last": given["top"], "mine": given["patches"]}
    more = {"waiting": given["waiting"], "aside": given["set_aside"], "first": given["first_finisher"]}
    return {**game, **more, "marks": list(given["leather_marks"]), "bonus": given["bonus_owner"]}


def over(game):
    there = [seat["space"] >= game["rules"]["finish"] for seat in game["seats"]]
    return (any(there) if wrong("ends-at-the-first-arrival") else all(there)) and not game["waiting"]


def turn(game):
    if over(game):
        return None
    if game["waiting"]:
        return game["last"]
    one, two = (seat["space"] for seat in game["seats"])
    if wrong("seats-alternate") and max(one, two) and max(one, two) < game["rules"]["finish"]:
        return 1 - game["last"]
    if one == two:
        return 1 - game["last"] if wrong("other-token-on-top") and one else game["last"]
    return 0 if one < two else 1


def offer(game):
    size = game["rules"]["offer_size"] + (1 if wrong("offer-of-four") else 0)
    ring = game["ring"] * size if wrong("offer-goes-round") else game["ring"]
    return ring[:size]


def can_pay(game, seat, patch):
    price, stock = game["rules"]["patches"][patch]["cost"], game["seats"][seat]["buttons"]
    if wrong("income-helps-to-pay"):
        start, end = (
            game["seats"][seat]["space"],
            game["seats"][seat]["space"] + game["rules"]["patches"][patch]["time"],
        )
        stock += game["seats"][seat]["income"] * sum(start < mark <= end for mark in game["rules"]["income_marks"])
    if wrong("one-button-too-few"):
        return price <= stock + 1
    return price < stock if wrong("keeps-the-last-button") and price else price <= stock


def fits(game, seat, cells):
    taken = game["seats"][seat]["cells"]
    beside = ((r + i, c + j) for r, c in cells for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0)))
    if wrong("patches-must-touch") and taken and taken.isdisjoint(beside):
        return False
    return taken.isdisjoint(cells)


def legal(game):
    seat, size = turn(game), game["rules"]["quilt_size"]
    if seat is None:
        return
    if game["waiting"]:
        taken = game["seats"][seat]["cells"]
        free = [(r, c) for r in range(size) for c in range(size) if (r, c) not in taken or wrong("leather-anywhere")]
        yield from (("leather", cell) for cell in free)
        if not wrong("leather-optional"):
            return
    yield ("advance",)
    for patch in dict.fromkeys(offer(game)):
        if can_pay(game, seat, patch):
            for cells in shapes(game["rules"]["patches"][patch]["rows"], size):
                if fits(game, seat, cells):
                    yield ("buy", patch, cells)


def act(game, action):
    """Play an action; returns why not, or nothing."""
    kind = action.get("do")
    if kind == "advance":
        wanted = ("advance",)
    elif kind == "leather":
        wanted = ("leather", tuple(action["cell"]))
    elif kind == "buy":
        wanted = ("buy", action["patch"], frozenset(map(tuple, action["cells"])))
        if len(wanted[2]) != len(action["cells"]):
            return "a cell stands there twice"
    else:
        return "no such action"
    if wanted not in set(legal(game)):
        if wrong("pays-before-it-looks") and kind == "buy" and turn(game) is not None:
            me = game["seats"][turn(game)]
            me["buttons"] = max(0, me["buttons"] - game["rules"]["patches"][action["patch"]]["cost"])
        if not wrong("slips-become-advances") or ("advance",) not in set(legal(game)):
            return "not legal here"
        wanted = ("advance",)
    seat = turn(game)
    me, other, rules = game["seats"][seat], game["seats"][1 - seat], game["rules"]
    if wanted[0] == "leather":
        game["waiting"] -= 1
        me["leathers"] += 1
        me["cells"].add(wanted[1])
        if not wrong("no-bonus-by-leather"):
            bonus(game, seat)
    elif wanted[0] == "advance":
        game["waiting"] = 0
        start, free = me["space"], 0
        target = max(start + 1, other["space"]) if wrong("advance-lands-on-the-other") else other["space"] + 1
        move(game, seat, target)
        if wrong("advance-pays-beyond-the-finish"):
            free = target - me["space"]
        me["buttons"] += me["space"] - start + free - wrong("advance-pays-one-too-few")
    else:
        game["waiting"] = 0
        patch, cells = rules["patches"][wanted[1]], wanted[2]
        game["ring"] = without_patch(game["ring"], wanted[1])
        game["mine"][seat].append(wanted[1])
        me["buttons"] -= patch["cost"]
        me["cells"] |= cells
        me["income"] += 0 if wrong("new-patch-pays-later") else patch["income"]
        bonus(game, seat)
        start = me["space"]
        move(game, seat, me["space"] + patch["time"])
        me["income"] += patch["income"] if wrong("new-patch-pays-later") else 0
        me["buttons"] += me["space"] - start if wrong("buttons-for-bought-spaces") else 0
    if not wrong("leather-waits-for-room"):
        while game["waiting"] and len(me["cells"]) == rules["quilt_size"] ** 2:
            game["waiting"] -= 1
            game["aside"] += 1
    return None


def without_patch(ring, patch):
    skipped, after = ring[: ring.index(patch)], ring[ring.index(patch) + 1 :]
    return skipped + after if wrong("neutral-token-stays") else after + skipped


def move(game, seat, target):
    rules, me = game["rules"], game["seats"][seat]
    start, finish = me["space"], rules["finish"]
    if not wrong("past-the-finish"):
        target = min(
            target, finish - 1 if wrong("stops-short-of-the-finish") and target > finish > start + 1 else finish
        )
    me["space"], game["last"] = target, seat
    paid = 0
    for space in range(start if wrong("income-again-when-leaving") else start + 1, target + 1):
        missed = wrong("income-by-passing-only" if space == target else "income-by-landing-only")
        if space in rules["income_marks"] and not missed and not (wrong("one-income-a-move") and paid):
            paid += 1
            me["buttons"] += me["income"] * (2 if wrong("finish-pays-twice") and space == finish else 1)
        if space > start and (space in game["marks"] or (wrong("leather-twice") and space in rules["leather_marks"])):
            if wrong("leather-by-passing-only") and space == target:
                continue
            game["marks"] = [mark for mark in game["marks"] if mark != space]
            game["waiting"] += 1
    if target >= finish and game["first"] is None:
        game["first"] = seat


def bonus(game, seat):
    side, size = game["rules"]["bonus_square"], game["rules"]["quilt_size"]
    side -= 1 if wrong("bonus-for-a-smaller-square") and side > 1 else 0
    if game["bonus"] is not None and not wrong("bonus-twice"):
        return
    taken = game["seats"][seat]["cells"]
    places = range(size - side + 1)
    if any(all((r + i, c + j) in taken for i in range(side) for j in range(side)) for r in places for c in places):
        if wrong("bonus-is-buttons") and game["bonus"] is None:
            game["seats"][seat]["buttons"] += game["rules"]["bonus_points"]
        game["bonus"] = seat


def tell(game):
    rules, size = game["rules"], game["rules"]["quilt_size"]
    drawn, empty, scores = [], [], []
    for number, seat in enumerate(game["seats"]):
        drawn.append("/".join("".join("01"[(r, c) in seat["cells"]] for c in range(size)) for r in range(size)))
        empty.append(size * size - len(seat["cells"]))
        points = seat["buttons"] - (1 if wrong("one-point-a-gap") else rules["empty_cell_penalty"]) * empty[-1]
        points += seat["income"] if wrong("incomes-score") else 0
        points += rules["bonus_points"] if game["bonus"] == number and not wrong("bonus-is-buttons") else 0
        scores.append(max(0, points) if wrong("no-score-below-zero") else points)
    winner = None
    if over(game):
        tie = 0 if wrong("tie-goes-to-seat-0") else game["first"]
        winner = tie if scores[0] == scores[1] else int(scores[1] > scores[0])
    told = {key: [seat[key] for seat in game["seats"]] for key in ("space", "buttons", "income", "leathers")}
    told |= {"covered": drawn, "empty": empty, "score": scores, "offer": offer(game), "ring": game["ring"]}
    told |= {"seat_on_turn": turn(game), "leather_marks": game["marks"], "waiting": game["waiting"]}
    told |= {"set_aside": game["aside"], "bonus_owner": game["bonus"], "first_finisher": game["first"]}
    return {key: {**told, "finished": over(game), "winner": winner}[key] for key in TOLD if key not in WITHOUT}


def said(action):
    if action[0] == "buy":
        return {"do": "buy", "patch": action[1], "cells": sorted(map(list, action[2]))}
    return {"do": action[0], "cell": list(action[1])} if action[0] == "leather" else {"do": "advance"}


def copy(game):
    seats = [{**seat, "cells": set(seat["cells"])} for seat in game["seats"]]
    return {**game, "seats": seats, "mine": [list(mine) for mine in game["mine"]]}


def perft(game, depth):
    actions = list(legal(game))
    if depth < 2:
        return len(actions) if depth else 1
    total = 0
    for action in actions:
        after = copy(game)
        act(after, said(action))
        total += perft(after, depth - 1)
    return total


def answer(request, game):
    ask = request["ask"]
    if ask == "hello":
        can = [word for word in ("refuse", "count", "list", "perft", "position") if word not in WITHOUT]
        rulesets = ["original", "revised"] if "rulesets" in WITHOUT else "any"
        told = [key for key in TOLD if key not in WITHOUT]
        return {"protocol": 1, "name": "compact", "version": "1", "can": can, "state": told, "rulesets": rulesets}
    if ask == "start":
        game.clear()
        game.update(new_game(request["ruleset"], request["ring"]))
    elif ask == "position":
        game.clear()
        game.update(set_up(request["ruleset"], request["position"]))
    elif ask == "act":
        objection = act(game, request["action"])
        if objection:
            return {"refused": {"reason": objection}}
    elif ask == "count":
        return {"count": len(list(legal(game)))}
    elif ask == "list":
        return {"actions": [said(action) for action in legal(game)]}
    elif ask == "perft":
        return {"nodes": perft(game, request["depth"])}
    return {"state": tell(game)}


def main():
    game = {}
    for line in sys.stdin:
        request = json.loads(line)
        sys.stdout.write(json.dumps({"id": request["id"], **answer(request, game)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
