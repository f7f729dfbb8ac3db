"""The checks ``contains_all`` and ``contains_any``: several texts looked for in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard import AgentOutput, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import texts_to_find
from steelyard_checks._making import Argument, Check, Decide, accepted_lists, make_check
from steelyard_checks._text import case_argument, composed, folded
from steelyard_checks._wording import listed, named


def contains_all(values: Sequence[str] | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the answer contains every one of several texts: 1.0 or 0.0.

    Each text is looked for as ``includes`` does, and each may stand in another assistant message. A list of texts that
    an item brings are the texts; of a list of such lists, one is enough. Raises ``ConfigurationError`` for an empty
    list, an empty text, and anything but a list of texts.
    """
    return _contains("contains-all", f"The answer contains all of {named(values)}.", values, ignore_case, every=True)


def contains_any(values: Sequence[str] | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the answer contains at least one of several texts: 1.0 or 0.0.

    Reads its arguments as ``contains_all``, and refuses the same.
    """
    return _contains("contains-any", f"The answer contains one of {named(values)}.", values, ignore_case, every=False)


def _contains(
    name: str, description: str, values: Sequence[str] | FromItem, ignore_case: bool | FromItem, *, every: bool
) -> Check:
    if isinstance(values, list):
        values = tuple(values)  # a list that its owner changes later must not change the check's key
    return make_check(
        name,
        description,
        [Argument("values", values, texts_to_find, alternatives=accepted_lists), case_argument(ignore_case)],
        _contains_all if every else _contains_any,
    )


def _contains_all(values: tuple[str, ...], ignore_case: bool) -> Decide:
    needles = _needles(values, ignore_case)
    contained = f"The answer contains {listed(values)}."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = output.folded_texts if ignore_case else output.search_texts
        missing = [
            value for needle, value in zip(needles, values, strict=True) if not any(needle in text for text in texts)
        ]
        if not missing:
            return Scored(1.0, contained)
        return Scored(0.0, f"{len(missing)} of {len(values)} texts missing from the answer: {listed(missing)}.")

    return decide


def _contains_any(values: tuple[str, ...], ignore_case: bool) -> Decide:
    needles = _needles(values, ignore_case)
    nothing = f"None of {listed(values)} stands in the answer."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = output.folded_texts if ignore_case else output.search_texts
        for needle, value in zip(needles, values, strict=True):
            if any(needle in text for text in texts):
                return Scored(1.0, f"The answer contains {listed([value])}.")
        return Scored(0.0, nothing)

    return decide


def _needles(values: Sequence[str], ignore_case: bool) -> list[str]:
    return [folded(value) if ignore_case else composed(value) for value in values]
