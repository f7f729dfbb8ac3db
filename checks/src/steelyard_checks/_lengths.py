"""The checks ``max_length`` and ``min_length``: how long an answer is, in characters or in words.

Characters are code points of the composed form (NFC). Words are what white space parts. In scripts that put none
between words (Unicode's line breaking tells them: Han, kana, Thai, Khmer and their like) that is a lower bound, and
where it does not decide, the length is not scorable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from steelyard import AgentOutput, FromItem, NotScorable, Scored, ScorerRun, not_scorable
from steelyard_checks._arguments import none_or_more, one_of, one_or_more
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._text import joined
from steelyard_checks._wording import counted, named, said, shown

if TYPE_CHECKING:
    import regex

Unit: TypeAlias = Literal["characters", "words"]
UNITS = ("characters", "words")

_UNSPACED = r"(?=\p{L})[\p{Line_Break=ID}\p{Line_Break=CJ}\p{Line_Break=SA}]"


def max_length(n: int | FromItem, unit: Unit | FromItem = "characters") -> Check:
    """Whether the answer is at most that long, in ``"characters"`` or ``"words"``: 1.0 or 0.0.

    The answer is the assistant's texts that are not empty, joined by a blank line; without any its length is 0. Words
    of a script without spaces cannot be counted: not scorable, unless what spaces part is too much already. Raises
    ``ConfigurationError`` for anything but a whole number from 0 and for other units.
    """
    return make_check(
        "max-length",
        f"The answer has at most {named(n)} {_units(unit)}.",
        [Argument("n", n, none_or_more), _unit_argument(unit)],
        _max_length,
    )


def min_length(n: int | FromItem, unit: Unit | FromItem = "characters") -> Check:
    """Whether the answer is at least that long, in ``"characters"`` or ``"words"``: 1.0 or 0.0.

    Counts as ``max_length``. Raises ``ConfigurationError`` for anything but a whole number from 1 and for other units.
    """
    return make_check(
        "min-length",
        f"The answer has at least {named(n)} {_units(unit)}.",
        [Argument("n", n, one_or_more), _unit_argument(unit)],
        _min_length,
    )


def _unit_argument(unit: object) -> Argument:
    return Argument("unit", unit, lambda value, where: one_of(UNITS, value, where), default="characters")


def _units(unit: object) -> str:
    return f"(in {named(unit)})" if isinstance(unit, FromItem) else str(unit)


def _max_length(n: int, unit: Unit) -> Decide:
    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored | NotScorable:
        text = joined(run.output.search_texts)
        length = _length(text, unit)
        told = f"{counted(length, unit[:-1])}, at most {n} allowed"
        if length > n:
            return Scored(0.0, f"{told}: {said(run.output)}.")
        return _unknown(text, unit) or Scored(1.0, f"{told}.")

    return decide


def _min_length(n: int, unit: Unit) -> Decide:
    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored | NotScorable:
        text = joined(run.output.search_texts)
        length = _length(text, unit)
        told = f"{counted(length, unit[:-1])}, at least {n} asked"
        if length >= n:
            return Scored(1.0, f"{told}.")
        return _unknown(text, unit) or Scored(0.0, f"{told}: {said(run.output)}.")

    return decide


def _length(text: str, unit: Unit) -> int:
    return len(text) if unit == "characters" else len(text.split())


def _unknown(text: str, unit: Unit) -> NotScorable | None:
    """Why there may be more words than white space parts; None where that cannot be."""
    if unit == "characters" or text.isascii():
        return None
    found = _unspaced().search(text)
    if found is None:
        return None
    return not_scorable(
        f"words are told apart by white space, and the script of {shown(found[0])} has none between them; "
        'count "characters"'
    )


def _unspaced() -> regex.Pattern[str]:
    import regex

    return regex.compile(_UNSPACED)  # the package keeps what it compiled
