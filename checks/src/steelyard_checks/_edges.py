"""The checks ``starts_with`` and ``ends_with``: how an answer begins and how it ends."""

from __future__ import annotations

from typing import Any

from steelyard import AgentOutput, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import text_to_find
from steelyard_checks._making import Argument, Check, Decide, make_check
from steelyard_checks._text import case_argument, composed, folded
from steelyard_checks._wording import named, shown, shown_from


def starts_with(value: str | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the answer begins with a text: 1.0 or 0.0. White space counts.

    That is the first assistant message with text; an answer without text begins with nothing. Of several values that
    an item brings, one is enough. Raises ``ConfigurationError`` for an empty text and for anything that is no text.
    """
    return make_check(
        "starts-with",
        f"The answer starts with {named(value)}.",
        [Argument("value", value, text_to_find), case_argument(ignore_case)],
        _starts_with,
    )


def _starts_with(value: str, ignore_case: bool) -> Decide:
    needle = folded(value) if ignore_case else composed(value)
    quoted = shown(value)

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = output.folded_texts if ignore_case else output.search_texts
        if not texts:
            return Scored(0.0, f"{quoted} is missing: the answer has no text.")
        if texts[0].startswith(needle):
            return Scored(1.0, f"The answer starts with {quoted}.")
        return Scored(0.0, f"The answer does not start with {quoted}: {shown(output.search_texts[0])}.")

    return decide


def ends_with(value: str | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the answer ends with a text: 1.0 or 0.0. White space counts, a line break at the end too.

    That is the last assistant message with text; else as ``starts_with``.
    """
    return make_check(
        "ends-with",
        f"The answer ends with {named(value)}.",
        [Argument("value", value, text_to_find), case_argument(ignore_case)],
        _ends_with,
    )


def _ends_with(value: str, ignore_case: bool) -> Decide:
    needle = folded(value) if ignore_case else composed(value)
    quoted = shown(value)

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = output.folded_texts if ignore_case else output.search_texts
        if not texts:
            return Scored(0.0, f"{quoted} is missing: the answer has no text.")
        if texts[-1].endswith(needle):
            return Scored(1.0, f"The answer ends with {quoted}.")
        last = output.search_texts[-1]
        return Scored(0.0, f"The answer does not end with {quoted}: {shown_from(last, len(last) - 1)}.")

    return decide
