"""Games that others recorded, in their notations: each is read by a reader of its own behind one small interface.

Nothing is played here: whether a game keeps the rules is asked in `patchstats.conformance`.
"""

from patchstats.notation.foreign.codes import CODES_HEADER, format_codes
from patchstats.notation.foreign.formats import FORMATS, Format, guessed_format
from patchstats.notation.foreign.game import ForeignGame, GameText
from patchstats.notation.foreign.letters import format_letters

__all__ = [
    "CODES_HEADER",
    "FORMATS",
    "ForeignGame",
    "Format",
    "GameText",
    "format_codes",
    "format_letters",
    "guessed_format",
]
