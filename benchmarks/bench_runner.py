"""Five checks per item, against a bare loop that does no more than read, fold, search and keep."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

from attrs import frozen

import steelyard_checks as checks
from steelyard import EvalItem, Message, run_evals

WORDS = (
    "the parcel left our warehouse on Monday and should reach you within three working days unless the weather in "
    "the hills holds it up again in which case we will write to you and offer a voucher for your trouble"
)
SIZES = (1_000, 10_000, 100_000)
NEEDLES = ("warehouse", "voucher", "refund", "weather", "parcel")


@frozen
class Kept:
    """What the bare loop keeps for each check."""

    score: float
    needle: str


def conversations(count: int) -> list[tuple[Message, ...]]:
    """One answer of 40 words per conversation, no two alike."""
    return [(Message("user", f"Where is parcel {n}?"), Message("assistant", f"{n} {WORDS}")) for n in range(count)]


def bare_loop(talks: Sequence[tuple[Message, ...]]) -> list[Kept]:
    """The floor: for each check the assistant texts are read and folded, the needle is looked for, and a frozen outcome
    is kept."""
    kept = []
    for messages in talks:
        for needle in NEEDLES:
            texts = [message.text.casefold() for message in messages if message.role == "assistant"]
            kept.append(Kept(1.0 if any(needle in text for text in texts) else 0.0, needle))
    return kept


def steelyard_run(items: Sequence[EvalItem], *, keep_items: bool) -> object:
    """The same through an evaluation of recorded outputs."""
    result = run_evals(data=items, scorers=[checks.includes(needle) for needle in NEEDLES], keep_items=keep_items)
    assert result.scores['check-includes("refund")'] == 0.0
    assert result.scores['check-includes("parcel")'] == 1.0
    return result


def timed(work: Callable[[], object]) -> float:
    """Processor seconds of one run, with what was left over before collected first."""
    gc.collect()
    started = process_time()
    kept = work()
    seconds = process_time() - started
    del kept
    return seconds


def measure(count: int, rounds: int = 7, *, keep_items: bool = True) -> dict[str, Any]:
    """Best of so many interleaved rounds."""
    talks = conversations(count)
    items = [EvalItem(output=messages) for messages in talks]
    floor, ours = [], []
    for _ in range(rounds):
        floor.append(timed(lambda: bare_loop(talks)))
        ours.append(timed(lambda: steelyard_run(items, keep_items=keep_items)))
    return {
        "items": count,
        "keep_items": keep_items,
        "floor_us_per_item": 1e6 * min(floor) / count,
        "us_per_item": 1e6 * min(ours) / count,
        "ratio": min(ours) / min(floor),
    }


def main(rounds: int = 7, sizes: Sequence[int] = SIZES) -> list[dict[str, Any]]:
    """All sizes, kept and not."""
    return [measure(count, rounds, keep_items=keep_items) for keep_items in (True, False) for count in sizes]


if __name__ == "__main__":
    for row in main():
        print(
            f"{row['items']:>8,} items  kept={row['keep_items']!s:5}  floor {row['floor_us_per_item']:6.2f} us  "
            f"steelyard {row['us_per_item']:6.2f} us  ratio {row['ratio']:.2f}"
        )
