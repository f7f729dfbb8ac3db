"""What a model call used, in tokens."""

from __future__ import annotations

from attrs import frozen


def _plus(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


@frozen(kw_only=True)
class Usage:
    """Token counts of one or more model calls; None means unknown, which is not 0.

    The counts are disjoint but for one: ``input_tokens`` leaves out both cache counts, and ``reasoning_tokens`` is a
    part of ``output_tokens``.
    """

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_creation_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None

    @property
    def total_tokens(self) -> int | None:
        """Input, cached, cache-creating and output tokens together; None if one of the four is unknown."""
        total: int | None = 0
        for count in (self.input_tokens, self.cached_input_tokens, self.cache_creation_tokens, self.output_tokens):
            total = _plus(total, count)
        return total

    def __add__(self, other: Usage) -> Usage:
        """Counts of both together; a count that one side does not know is unknown."""
        return Usage(
            input_tokens=_plus(self.input_tokens, other.input_tokens),
            cached_input_tokens=_plus(self.cached_input_tokens, other.cached_input_tokens),
            cache_creation_tokens=_plus(self.cache_creation_tokens, other.cache_creation_tokens),
            output_tokens=_plus(self.output_tokens, other.output_tokens),
            reasoning_tokens=_plus(self.reasoning_tokens, other.reasoning_tokens),
        )


NO_USAGE = Usage(input_tokens=0, cached_input_tokens=0, cache_creation_tokens=0, output_tokens=0, reasoning_tokens=0)
"""The usage of no call at all: the neutral element of ``+``."""
