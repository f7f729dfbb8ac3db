"""Numbers as people read them: rounded for display, and never to the wrong side of what they are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

NOT_MEASURED = "not measured"


def number(value: float | None, against: Iterable[float | None] = ()) -> str:
    """The number with three decimals, or in scientific form where that would show little of it.

    What is None or no finite number was not measured. More decimals are shown where three would make it look equal to
    one of ``against`` that it is not.
    """
    if value is None or not isfinite(value):
        return NOT_MEASURED
    if value == 0:
        return "0.000"
    others = [other for other in against if other is not None and not _same(value, other)]
    scientific = not 0.0005 <= abs(value) < 1e7
    for digits in range(3, 17):
        text = f"{value:.{digits}e}" if scientific else f"{value:.{digits}f}"
        if not any(float(text) == other or (float(text) < other) != (value < other) for other in others):
            return text
    return repr(value)


def _same(one: float, other: float) -> bool:
    """Whether two numbers differ by no more than binary rounding."""
    return abs(one - other) <= 1e-11 * max(abs(one), abs(other))


def short(value: float) -> str:
    """A bound or an end of a scale as it was probably written: ``0.8``, ``1``."""
    text = f"{value:g}"
    return text if float(text) == value else repr(value)


def percent(share: float) -> str:
    """A share between 0 and 1: ``95%``, ``33.3%``; what is not all or none is not shown as such."""
    for digits in range(1, 12):
        text = f"{100 * share:.{digits}f}"
        if (float(text) in (0.0, 100.0)) == (share in (0.0, 1.0)):
            return text.removesuffix(".0") + "%"
    return f"{100 * share!r}%"


def count(n: int, one: str, many: str | None = None) -> str:
    """``1 item``, ``2 items``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def money(dollars: float | None) -> str:
    """US dollars, with as many decimals as small amounts need; "not measured" for None."""
    if dollars is None or not isfinite(dollars):
        return NOT_MEASURED
    if dollars and abs(dollars) < 0.01:
        return f"${dollars:.2g}" if abs(dollars) >= 1e-4 else f"${dollars:.1e}"
    return f"${dollars:,.2f}" if abs(dollars) >= 1 or not dollars else f"${dollars:.4f}"


def span(seconds: float) -> str:
    """A length of time: ``0.31 s``, ``12 s``, ``3:05``, ``1:02:03``."""
    if seconds < 10:
        return f"{max(0.0, seconds):.2g} s" if seconds >= 0.001 else "under 1 ms"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
