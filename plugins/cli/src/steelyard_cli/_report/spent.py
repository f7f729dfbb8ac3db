"""What a run used and what went wrong beside the scores, in words."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard import Usage
from steelyard_cli._report.model import Report, Spending
from steelyard_cli._report.numbers import NOT_MEASURED, count, money


def spent(spending: Spending) -> str:
    """Calls, tokens and cost in one line; what no call told is not measured."""
    words = []
    if spending.calls is not None:
        words.append(count(spending.calls, "call"))
    tokens = f"tokens {_tokens(spending.usage)}"
    if spending.usage is not None and spending.calls_without_usage:
        tokens += f" ({count(spending.calls_without_usage, 'call')} told none)"
    cost = f"cost {money(spending.cost)}"
    if spending.cost is not None and spending.calls_without_cost:
        cost += f" ({count(spending.calls_without_cost, 'call')} told none)"
    return ", ".join([*words, tokens, cost])


def _tokens(usage: Usage | None) -> str:
    if usage is None:
        return NOT_MEASURED
    found = {
        "in": usage.input_tokens,
        "cached": usage.cached_input_tokens,
        "written to cache": usage.cache_creation_tokens,
        "out": usage.output_tokens,
    }
    told = ", ".join(f"{n:,} {name}" for name, n in found.items() if n is not None)
    total = usage.total_tokens
    if total is None:
        return f"{told} (others {NOT_MEASURED})" if told else NOT_MEASURED
    return f"{total:,} ({told})"


def left_out(n_lines: int) -> str:
    """The sentence about lines of the data that were left out."""
    return count(n_lines, "line of the data was", "lines of the data were") + " left out as unreadable (--skip-bad)"


def troubles(report: Report) -> Iterator[str]:
    """A line for each kind of thing that went wrong, with how often it did."""
    kinds = (
        (report.target_errors, "item on which the target failed", "items on which the target failed"),
        (report.bad_items, "item that could not be taken", "items that could not be taken"),
        (report.skipped, "line of the data skipped as unreadable", "lines of the data skipped as unreadable"),
        (report.callback_errors, "error in a callback", "errors in callbacks"),
        (report.observer_errors, "error in an observer", "errors in observers"),
        (report.threads_left_behind, "thread left behind, still running", "threads left behind, still running"),
    )
    yield from (count(n, one, many) for n, one, many in kinds if n)
