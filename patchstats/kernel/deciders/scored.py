"""Agents by a score of the user's own: a Python function that is compiled, and asked about everything that can be done.

The compiled function is called by its address, which stands in the agent's memory.
"""

from __future__ import annotations

import ctypes
import difflib
import dis
import inspect
import random
import threading
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, config, njit, types
from numba.extending import intrinsic

from patchstats.kernel.actions import ADVANCE, leather_on, purchase
from patchstats.kernel.deciders.deciding import Decider, Memory, decider, memory_of
from patchstats.kernel.layout import (
    AT_INCOMES,
    AT_PATCHES,
    BONUS,
    BUTTONS,
    COST,
    EMPTY,
    FINISH,
    INCOME,
    MAY_ADVANCE,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    OWN,
    PATCH_INCOME,
    PATCH_SIZE,
    PATTERN_HIGH,
    PATTERN_LOW,
    SEAT_SIZE,
    SEATS,
    SIZE,
    SLOT_COUNT,
    SPACE,
    TIME,
    VALUE,
    VALUES_TOLD,
    WAITING,
)
from patchstats.kernel.packing import PULL, SHORT_LIST, WORDS_OF_PLACEMENT, best_leather, best_placements
from patchstats.kernel.quilt import free_cells, holes, missing_of_bonus, moved, pairs
from patchstats.kernel.turn import leathers_between, number_of, seat_on_turn
from patchstats.kernel.words import U0, U1

#: What a function can ask for by the names of its parameters, all integers, and what each is. For the advance all that
#: is of a patch or of its placement is 0.
ARGUMENTS = {
    "advance": "1 for the advance, 0 for buying a patch",
    "steps": "how many spaces the token moves",
    "leathers": "how many leathers the token reaches",
    "size": "the cells of the patch",
    "cost": "what the patch costs, in buttons",
    "time": "the time of the patch, in spaces, also where it would lead beyond the finish",
    "income": "the income of the patch",
    "perimeter": "by how many sides of a cell the edge of the free cells gets longer",
    "holes": "how many more free cells have no free neighbour",
    "missing_of_bonus": "how many more cells the nearest bonus square lacks (so 0 or less); 0 once the bonus is won",
    "bonus_open": "1 as long as the bonus is to be won",
    "marks_left": "the income marks ahead of the token",
    "buttons": "the buttons of the seat on turn",
    "own_income": "the income of the seat on turn",
    "space": "the space of the seat on turn",
    "spaces_left": "the spaces from there to the finish",
    "empty": "the empty cells of the seat on turn",
    "opponent_buttons": "the buttons of the other seat",
    "opponent_income": "the income of the other seat",
    "opponent_space": "the space of the other seat",
    "opponent_empty": "the empty cells of the other seat",
}
_PLACES = [np.uint64(place) for place in range(len(ARGUMENTS))]
(_ADVANCE, _STEPS, _LEATHERS, _SIZE, _COST, _TIME, _INCOME, _PERIMETER, _HOLES, _MISSING, _BONUS_OPEN) = _PLACES[:11]
(_MARKS_LEFT, _BUTTONS, _OWN_INCOME, _SPACE, _SPACES_LEFT, _EMPTY) = _PLACES[11:17]
(_OPPONENT_BUTTONS, _OPPONENT_INCOME, _OPPONENT_SPACE, _OPPONENT_EMPTY) = _PLACES[17:]
#: The agent's own words: the address of the function, its arguments, and room for the short list.
_ASKED = OWN + U1
_ROOM = _ASKED + np.uint64(len(ARGUMENTS))
_WORDS = int(_ROOM - OWN + SHORT_LIST * WORDS_OF_PLACEMENT)
#: What is told of a patch fits in 32 bits.
_LEAST, _MOST = np.int64(1 - 2**31), np.int64(2**31 - 1)

_SCORE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)

if config.DISABLE_JIT:

    def call(function: Any, arguments: Any) -> Any:
        """Return what the function at an address makes of the arguments at another."""
        return np.int64(_SCORE(int(function))(int(arguments)))

else:

    @intrinsic
    def call(_typing: Any, function: Any, arguments: Any) -> Any:  # noqa: ARG001
        """Return what the function at an address makes of the arguments at another."""

        def build(_context: Any, builder: Any, _signature: Any, addresses: Any) -> Any:
            word = ir.IntType(64)
            function_type = ir.FunctionType(word, [word.as_pointer()])
            function = builder.inttoptr(addresses[0], function_type.as_pointer())
            return builder.call(function, [builder.inttoptr(addresses[1], word.as_pointer())])

        return types.int64(types.uint64, types.uint64), build


@njit
def score_of(memory: Any) -> Any:
    """Return the score of what the arguments in the memory are about."""
    return call(memory[OWN], np.uint64(memory.ctypes.data) + (_ASKED << np.uint64(3)))


@njit
def tell_move(a: Any, seat: Any, memory: Any, end: Any) -> None:
    """Put the arguments about the move of a token into the memory."""
    memory[_ASKED + _STEPS] = end - a[seat + SPACE]
    memory[_ASKED + _LEATHERS] = leathers_between(a, a[seat + SPACE], end)


@decider
def choose(a: Any, memory: Any) -> Any:
    """Do what has the greatest score, of equals the advance, then the earlier on offer; each patch where it fits best.

    The scores of the patches are told as their worth.
    """
    seat = SEATS + seat_on_turn(a) * SEAT_SIZE
    if a[WAITING]:
        return leather_on(best_leather(a, seat))
    other = SEATS + (U1 - number_of(seat)) * SEAT_SIZE
    low, high = free_cells(a, seat)
    bonus_open = a[BONUS] == U0
    pairs_before, holes_before = pairs(a, low, high), holes(a, low, high)
    missing_before = missing_of_bonus(a, low, high) if bonus_open else U0
    incomes = a[AT_INCOMES]
    for place in range(_ASKED, _ROOM):
        memory[place] = U0
    memory[_ASKED + _BONUS_OPEN] = U1 if bonus_open else U0
    memory[_ASKED + _MARKS_LEFT] = a[incomes + a[FINISH]] - a[incomes + a[seat + SPACE]]
    memory[_ASKED + _BUTTONS] = a[seat + BUTTONS]
    memory[_ASKED + _OWN_INCOME] = a[seat + INCOME]
    memory[_ASKED + _SPACE] = a[seat + SPACE]
    memory[_ASKED + _SPACES_LEFT] = a[FINISH] - a[seat + SPACE]
    memory[_ASKED + _EMPTY] = a[seat + EMPTY]
    memory[_ASKED + _OPPONENT_BUTTONS] = a[other + BUTTONS]
    memory[_ASKED + _OPPONENT_INCOME] = a[other + INCOME]
    memory[_ASKED + _OPPONENT_SPACE] = a[other + SPACE]
    memory[_ASKED + _OPPONENT_EMPTY] = a[other + EMPTY]

    found, greatest, chosen = False, np.int64(0), ADVANCE
    if a[MAY_ADVANCE]:
        memory[_ASKED + _ADVANCE] = U1
        tell_move(a, seat, memory, min(a[other + SPACE] + U1, a[FINISH]))
        found, greatest = True, score_of(memory)
        memory[_ASKED + _ADVANCE] = U0
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[SLOT_COUNT + slot] == U0:
            continue
        entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
        best_placements(a, seat, slot, U1, SHORT_LIST, PULL, memory, _ROOM)
        way, cell = memory[_ROOM], memory[_ROOM + U1]
        covered_low, covered_high = moved(a[way + PATTERN_LOW], a[way + PATTERN_HIGH], cell)
        left_low, left_high = low & ~covered_low, high & ~covered_high
        lost = np.int64(pairs_before) - np.int64(pairs(a, left_low, left_high))
        tell_move(a, seat, memory, min(a[seat + SPACE] + a[entry + TIME], a[FINISH]))
        memory[_ASKED + _SIZE] = a[entry + SIZE]
        memory[_ASKED + _COST] = a[entry + COST]
        memory[_ASKED + _TIME] = a[entry + TIME]
        memory[_ASKED + _INCOME] = a[entry + PATCH_INCOME]
        memory[_ASKED + _PERIMETER] = np.uint64(2 * lost - 4 * np.int64(a[entry + SIZE]))
        memory[_ASKED + _HOLES] = np.uint64(np.int64(holes(a, left_low, left_high)) - np.int64(holes_before))
        if bonus_open:
            missing = np.int64(missing_of_bonus(a, left_low, left_high)) - np.int64(missing_before)
            memory[_ASKED + _MISSING] = np.uint64(missing)
        score = score_of(memory)
        a[VALUE + slot] = np.uint64(min(max(score, _LEAST), _MOST))
        a[VALUES_TOLD] |= U1 << np.uint64(slot)
        if not found or score > greatest:
            found, greatest, chosen = True, score, purchase(a, slot, way, cell)
    return chosen


def scored(function: Callable[..., Any], sha256: str) -> Decider:
    """Return what does what this function gives the greatest score; it is compiled.

    Its parameters are some of `ARGUMENTS`, by their names, and it returns an integer; a division by zero gives 0. The
    hash is that of the module with the function, and says whether it has been compiled before. Raises ValueError, with
    the reason in one line, for any other function.
    """
    function = getattr(function, "py_func", function)
    key = sha256, function.__module__, function.__qualname__
    with _compiling:
        if key not in _kept:
            _kept[key] = compiled(function)
    address = _address(_kept[key])

    def memory() -> Memory:
        made = memory_of(_WORDS)
        made[OWN] = address
        return made

    return Decider(choose, memory)


#: Compiled functions, which must not be thrown away as long as their addresses may stand in a memory.
_kept: dict[tuple[str, str, str], Any] = {}
_compiling = threading.Lock()


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function into one that gets the address of all arguments.

    Raises ValueError, with the reason in one line, when it cannot be.
    """
    places = [str(list(ARGUMENTS).index(name)) for name in _asked_for(function)]
    _check(function, set())
    asked = njit(error_model="numpy")(function)
    source = f"def score(arguments): return asked({', '.join(f'arguments[{place}]' for place in places)})"
    made: dict[str, Any] = {"asked": asked}
    exec(source, made)
    if config.DISABLE_JIT:
        in_python = made["score"]
        return _SCORE(lambda at: int(in_python((ctypes.c_int64 * len(ARGUMENTS)).from_address(at))))
    try:
        asked.compile((types.int64,) * len(places))
        returned = asked.nopython_signatures[0].return_type
    except Exception as error:  # numba raises of all kinds
        raise ValueError(f"it cannot be compiled: {_in_one_line(error)}") from error
    if not isinstance(returned, types.Integer):
        raise ValueError(f"it returns {returned}, and a score is an integer; int(...) makes one of a float")
    return cfunc(types.int64(types.CPointer(types.int64)))(made["score"])


def _asked_for(function: Callable[..., Any]) -> list[str]:
    """The names of a function's parameters; raises ValueError for one that cannot be told."""
    if not inspect.isfunction(function):
        raise ValueError("it is no function of Python")
    parameters = inspect.signature(function).parameters.values()
    for one in parameters:
        if one.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD or one.name not in ARGUMENTS:
            close = difflib.get_close_matches(one.name, ARGUMENTS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(ARGUMENTS)}"
            raise ValueError(f"{one} is nothing that it could be told; {hint}")
    return [one.name for one in parameters]


def _check(function: Any, checked: set[CodeType]) -> None:
    """Raise ValueError where a function, or a compiled one that it uses, may raise an error or draws random numbers."""
    code = function.__code__
    if code in checked:
        return
    checked.add(code)
    known = function.__globals__ | inspect.getclosurevars(function).nonlocals
    found: Any = None
    for one in _instructions(code):
        if one.opname in {"LOAD_GLOBAL", "LOAD_DEREF"}:
            found = known.get(one.argval)
        elif one.opname in {"LOAD_ATTR", "LOAD_METHOD"} and isinstance(found, ModuleType):
            found = getattr(found, one.argval, None)
        else:
            found = None
        line = one.positions.lineno if one.positions else None
        if one.opname == "RAISE_VARARGS":
            raise ValueError(
                f"{code.co_name} may raise an error (line {line}), which nobody could catch while a game is played"
            )
        if _draws(found):
            raise ValueError(f"{code.co_name} draws random numbers (line {line}), and no game could be played again")
        if inspect.isfunction(helper := getattr(found, "py_func", None)):
            _check(helper, checked)


def _instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function, and of those that are defined in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _instructions(constant)


def _draws(found: Any) -> bool:
    """Whether something is a module of random numbers, or a function of one."""
    if isinstance(found, ModuleType):
        return found in {random, np.random}
    return isinstance(getattr(found, "__self__", None), random.Random | np.random.RandomState)


def _address(kept: Any) -> int:
    address = ctypes.cast(kept, ctypes.c_void_p).value if config.DISABLE_JIT else kept.address
    assert address is not None, "it was compiled"
    return int(address)


def _in_one_line(error: Exception) -> str:
    """What numba has against a function: the first lines of its message, which says what it knows at length."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "- "))]
    text = " ".join(said[: 2 if said and said[0].endswith(":") else 1]) or type(error).__name__
    line = getattr(getattr(error, "loc", None), "line", None)
    return text.rstrip(":.") + (f" (line {line})" if line else "")
