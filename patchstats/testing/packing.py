"""Quilts covered without play: patches laid so that a part of a quilt is covered as completely as they allow."""

from __future__ import annotations

from collections.abc import Sequence

from patchstats.rules import Ruleset

#: How many cells are tried to be covered before the best that was found will do.
MOST_STEPS = 500


def pack(ruleset: Ruleset, patches: Sequence[str], target: int, *, covered: int = 0, holes: int = 0) -> dict[str, int]:
    """Lay some of these patches on a quilt so that they cover the cells of `target`, but for at most `holes` of them.

    Returns the cells that each laid patch covers. Cells `covered` already are kept clear of. The first patches that fit
    are laid, cell by cell from the top left, and taken back where that leads nowhere. The search ends when the target
    is covered, when all patches are laid, or after so many steps; what then covered the most is returned.

    >>> original = Ruleset.load("original")
    >>> laid = pack(original, ["p08", "p10", "p07"], target=0b111_000000_111, holes=0)
    >>> {patch: bin(cells) for patch, cells in laid.items()}
    {'p08': '0b1000000111', 'p10': '0b110000000110000000000'}
    """
    search = _Search(ruleset, patches)
    search.cover(ruleset.quilt & ~covered, target & ~covered, holes)
    return search.best


class _Search:
    """A search in depth; `best` is what covered the most so far."""

    def __init__(self, ruleset: Ruleset, patches: Sequence[str]) -> None:
        self.ruleset = ruleset
        self.patches = patches
        self.first_column = sum(1 << row * ruleset.quilt_size for row in range(ruleset.quilt_size))
        self.fills_single_cells = any(ruleset[patch].size == 1 for patch in patches)
        self.steps = MOST_STEPS
        self.laid: dict[str, int] = {}
        self.best: dict[str, int] = {}
        self.least_open = ruleset.quilt.bit_count() + 1

    def cover(self, free: int, target: int, holes: int) -> bool:
        """Go on from here, and say whether the end was reached."""
        if target.bit_count() < self.least_open:
            self.least_open = target.bit_count()
            self.best = dict(self.laid)
        if not target or len(self.laid) == len(self.patches):
            return True
        self.steps -= 1
        lowest = target & -target
        for patch in self.patches:
            if patch in self.laid:
                continue
            for way in self.ruleset.distinct_ways_to_lay[patch]:
                corner = lowest.bit_length() - 1 - way.offsets[0]
                if corner < 0 or not way.corners >> corner & 1:
                    continue
                cells = way.pattern << corner
                if cells & ~free or self.single_cells(free & ~cells, target) > holes:
                    continue
                self.laid[patch] = cells
                if self.cover(free & ~cells, target & ~cells, holes):
                    return True
                del self.laid[patch]
                if self.steps <= 0:
                    return False
        return holes > 0 and self.cover(free & ~lowest, target & ~lowest, holes - 1)

    def single_cells(self, free: int, target: int) -> int:
        """How many cells of the target no patch can cover any more, because they have no free neighbour."""
        if self.fills_single_cells:
            return 0
        size = self.ruleset.quilt_size
        last_column = self.first_column << size - 1
        beside = (free & ~last_column) << 1 | (free & ~self.first_column) >> 1
        return (free & target & ~(beside | free << size | free >> size)).bit_count()
