"""The check ``similarity``: how much of two texts is the same, by the pairs of characters that they share.

The measure is Dice's coefficient over bags: 2 * shared pairs / (pairs of one + pairs of the other), after L. R. Dice,
"Measures of the amount of ecologic association between species" (1945), applied to adjacent pairs of characters. It
takes time and memory in proportion to the longer text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from operator import add
from typing import Any

from attrs import field, frozen

from steelyard import AgentOutput, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import any_text, share
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._text import case_argument, composed, folded, joined
from steelyard_checks._wording import named, said, shown


def symbols_of(text: str) -> str:
    """The text without its white space (what ``str.split`` takes for such)."""
    return "".join(text.split())


def pairs_of(symbols: str) -> Counter[str]:
    """The adjacent pairs of code points, each with how often it occurs; none for fewer than two."""
    return Counter(map(add, symbols, symbols[1:]))


def shared(first: Mapping[str, int], second: Mapping[str, int]) -> int:
    """How many pairs two bags have in common; looks each pair of the smaller bag up in the larger, once."""
    if len(first) > len(second):
        first, second = second, first
    common = 0
    for pair, count in first.items():
        other = second.get(pair, 0)
        common += count if count < other else other
    return common


@frozen
class Likeness:
    """A text to which others are compared; its pairs are counted once."""

    symbols: str = field(converter=symbols_of)
    pairs: Counter[str] = field(init=False)

    @pairs.default
    def _counted(self) -> Counter[str]:
        return pairs_of(self.symbols)

    def to(self, text: str) -> float:
        """How alike the other text is, from 0.0 to 1.0.

        Equal texts give 1.0, two without a symbol included; a text of fewer than two symbols is like no other.
        """
        symbols = symbols_of(text)
        if symbols == self.symbols:
            return 1.0
        if len(symbols) < 2 or len(self.symbols) < 2:
            return 0.0
        return 2 * shared(self.pairs, pairs_of(symbols)) / (len(symbols) + len(self.symbols) - 2)


def similarity(
    value: str | FromItem, threshold: float | FromItem | None = None, *, ignore_case: bool | FromItem = True
) -> Check:
    """How alike the answer and a text are, from 0.0 (no pair of characters in common) to 1.0 (the same characters).

    With a threshold: 1.0 if they are at least that alike, else 0.0. White space does not count, characters are code
    points. The answer is the assistant's texts that are not empty, joined by a blank line; equal texts give 1.0, two
    empty ones included, and a text of fewer than two characters is like no other. Of several values that an item
    brings, the one most alike counts. Linear in the length of the texts. Raises ``ConfigurationError`` for anything
    that is no text and for a threshold outside 0 to 1.
    """
    return make_check(
        "similarity",
        f"The answer is like {named(value)}" + ("." if threshold is None else f", by at least {named(threshold)}."),
        [
            Argument("value", value, any_text),
            Argument("threshold", threshold, share, default=None),
            case_argument(ignore_case),
        ],
        _similarity,
    )


def _similarity(value: str, threshold: float | None, ignore_case: bool) -> Decide:
    likeness = Likeness(folded(value) if ignore_case else composed(value))
    quoted = shown(value)

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        alike = likeness.to(joined(output.folded_texts if ignore_case else output.search_texts))
        if threshold is None:
            return Scored(alike, f"{alike:.6g} alike to {quoted}: {said(output)}.")
        if alike >= threshold:
            return Scored(1.0, f"{alike:.6g} alike to {quoted}, at least {threshold:g} asked.")
        return Scored(0.0, f"{alike:.6g} alike to {quoted}, at least {threshold:g} asked: {said(output)}.")

    return decide
