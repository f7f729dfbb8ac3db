"""How reasons show texts: quoted, on one line, cut to a readable length."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard import AgentOutput, FromItem

LONGEST = 80
MOST_LISTED = 10


def shown(text: str) -> str:
    """The text in quotes, with line breaks and lone surrogates escaped; cut after 80 characters."""
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def shown_from(text: str, start: int, length: int = 1) -> str:
    """The part of the text that holds the ``length`` characters from ``start``, quoted and cut to 80 characters."""
    begin = max(0, min(start - max(0, LONGEST - length) // 2, len(text) - LONGEST))
    end = min(len(text), begin + LONGEST)
    return repr(f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}")


def shown_value(value: object) -> str:
    """The value on one line, cut after 80 characters."""
    text = " ".join(repr(value).splitlines())
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return text.encode("utf-8", "backslashreplace").decode()


def listed(texts: Sequence[str]) -> str:
    """The texts in quotes; of more than ten, how many are left."""
    named_ones = ", ".join(shown(text) for text in texts[:MOST_LISTED])
    left = len(texts) - MOST_LISTED
    return f"{named_ones} and {left} more" if left > 0 else named_ones


def counted(count: int, what: str) -> str:
    """How many there are of what a word in the singular names: ``1 call``, ``2 calls``."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def named(value: object) -> str:
    """An argument in a description: the value, or where each item has it."""
    if isinstance(value, FromItem):
        return f"the item's {value.path}"
    return shown(value) if isinstance(value, str) else f"{value!r:.80}"


def said(output: AgentOutput) -> str:
    """What the agent said, for the end of a sentence: the answer, and of how many messages it is the last."""
    texts = output.assistant_texts
    if len(texts) == 1:
        return f"the answer is {shown(texts[0])}"
    if not texts:
        return "the answer has no text"
    return f"the last of {len(texts)} assistant messages is {shown(texts[-1])}"


def place(number: int, texts: Sequence[str]) -> str:
    """Which of the assistant's texts, counted from 0, something stands in."""
    return "the answer" if len(texts) == 1 else f"assistant message {number + 1} of {len(texts)}"
