"""Checks of the words of an answer: ``includes``, ``excludes`` and ``equals``.

Two texts count as the same when their composed forms (NFC) are, and with ``ignore_case`` when their case-folded forms
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

from steelyard import AgentOutput, FromItem, Scored, ScorerRun
from steelyard_checks._arguments import any_text, text_to_find, true_or_false
from steelyard_checks._making import Argument, Check, Decide, all_of, make_check
from steelyard_checks._wording import LONGEST, named, place, shown, shown_from


def composed(text: str) -> str:
    """The text as ``AgentOutput.search_texts`` holds texts."""
    return normalize("NFC", text)


def folded(text: str) -> str:
    """The text as ``AgentOutput.folded_texts`` holds texts."""
    return normalize("NFC", normalize("NFC", text).casefold())


def joined(texts: Sequence[str]) -> str:
    """The texts as one, with a blank line between them."""
    return texts[0] if len(texts) == 1 else "\n\n".join(texts)


def case_argument(ignore_case: object) -> Argument:
    """The argument that all checks of words have."""
    return Argument("ignore_case", ignore_case, true_or_false, default=True, keyword=True)


def includes(value: str | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the answer contains a text: 1.0 if one assistant message does, else 0.0.

    Each assistant message is searched by itself, so a hit never spans two; an answer without text contains nothing.
    Of several values that an item brings, one is enough. Raises ``ConfigurationError`` for an empty text and for
    anything that is no text.
    """
    return make_check(
        "includes",
        f"The answer contains {named(value)}.",
        [Argument("value", value, text_to_find), case_argument(ignore_case)],
        _includes,
    )


def _includes(value: str, ignore_case: bool) -> Decide:
    needle = folded(value) if ignore_case else composed(value)
    quoted = shown(value)
    # Both reasons are made once: quoting each answer in a miss would cost more than the search.
    contained, missing = f"The answer contains {quoted}.", f"{quoted} is missing from the answer."
    silent = f"{quoted} is missing: the answer has no text."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = output.folded_texts if ignore_case else output.search_texts
        for text in texts:
            if needle in text:
                return Scored(1.0, contained)
        return Scored(0.0, missing if texts else silent)

    return decide


def excludes(value: str | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the answer keeps clear of a text: 0.0 if an assistant message contains it, else 1.0.

    The opposite of ``includes`` for one text. Of several values that an item brings, none may occur. Raises
    ``ConfigurationError`` for an empty text and for anything that is no text.
    """
    return make_check(
        "excludes",
        f"The answer does not contain {named(value)}.",
        [Argument("value", value, text_to_find), case_argument(ignore_case)],
        _excludes,
        join=all_of,
    )


def _excludes(value: str, ignore_case: bool) -> Decide:
    needle = folded(value) if ignore_case else composed(value)
    quoted = shown(value)
    absent = f"The answer does not contain {quoted}."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        texts = output.folded_texts if ignore_case else output.search_texts
        for text in texts:
            if needle in text:
                return Scored(0.0, f"Forbidden {quoted} stands in {_where(needle, texts.index(text), texts, output)}.")
        return Scored(1.0, absent)

    return decide


def _where(needle: str, number: int, texts: Sequence[str], output: AgentOutput) -> str:
    """The place of the needle in the text of that number, with the words around it."""
    searched, readable = texts[number], output.search_texts[number]
    # Folding may change the length ("ß" becomes "ss"); the places in the readable text are not known then.
    excerpt = readable if len(readable) == len(searched) else searched
    return f"{place(number, texts)}: {shown_from(excerpt, searched.index(needle), len(needle))}"


def equals(value: str | FromItem, *, ignore_case: bool | FromItem = True) -> Check:
    """Whether the whole answer is a text: 1.0 or 0.0. White space counts.

    The answer is the assistant's texts that are not empty, joined by a blank line; without any it is the empty text.
    Of several values that an item brings, one is enough. Raises ``ConfigurationError`` for anything that is no text.
    """
    return make_check(
        "equals",
        f"The answer equals {named(value)}.",
        [Argument("value", value, any_text), case_argument(ignore_case)],
        _equals,
    )


def _equals(value: str, ignore_case: bool) -> Decide:
    wanted = folded(value) if ignore_case else composed(value)
    equal = f"The answer equals {shown(value)}."

    def decide(run: ScorerRun[Any, AgentOutput]) -> Scored:
        output = run.output
        found = joined(output.folded_texts if ignore_case else output.search_texts)
        if found == wanted:
            return Scored(1.0, equal)
        return Scored(0.0, _difference(value, joined(output.assistant_texts), wanted, found))

    return decide


def _difference(value: str, answer: str, wanted: str, found: str) -> str:
    """Both texts where they are short, else where their compared forms part."""
    if len(value) <= LONGEST and len(answer) <= LONGEST:
        return f"Expected {shown(value)}, found {shown(answer)}."
    start = first_difference(wanted, found)
    return (
        f"Expected {shown_from(wanted, start)}, found {shown_from(found, start)}: "
        f"they part after {start} character{'' if start == 1 else 's'}."
    )


def first_difference(first: str, second: str) -> int:
    """How many characters at the beginning are the same."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
