"""The check ``similarity`` against a bare ``Counter`` Dice of the same two texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from random import Random
from time import process_time
from typing import Any

import steelyard_checks as checks
from steelyard import AgentOutput, Message, Scored, ScorerRun

SIZES = (100, 1_000, 10_000, 100_000)
LETTERS = "aaabcdeeeefghiiijklmnnoooprrsssttuuvwyzéñöüßижч東京"


def text_of(length: int, random: Random) -> str:
    """Words of 2 to 9 letters of several scripts, some in capitals."""
    words: list[str] = []
    left = length
    while left > 0:
        word = "".join(random.choices(LETTERS, k=random.randint(2, 9)))
        words.append(word.capitalize() if random.random() < 0.2 else word)
        left -= len(word) + 1
    return " ".join(words)[:length]


def changed(text: str, random: Random) -> str:
    """The text with each tenth character replaced by some other, as an answer that says nearly the same."""
    return "".join(random.choice(LETTERS) if random.random() < 0.1 else letter for letter in text)


def bare(first: str, second: str) -> float:
    """Dice over the bags of adjacent pairs, and nothing else: case, white space and forms are left as they are."""
    pairs, others = Counter(pairwise(first)), Counter(pairwise(second))
    return 2 * sum((pairs & others).values()) / (len(first) + len(second) - 2)


def checked(value: str, answer: str) -> float:
    """The score of a check that is built for this one answer, of which nothing has been read yet."""
    check = checks.similarity(value)
    assert check.plain is not None
    outcome = check.plain(ScorerRun(output=AgentOutput([Message("assistant", answer)])))
    assert isinstance(outcome, Scored)
    return outcome.score


def milliseconds(work: Callable[[str, str], float], value: str, answer: str, times: int) -> float:
    """Processor time of one call, out of so many."""
    started = process_time()
    for _ in range(times):
        work(value, answer)
    return 1000 * (process_time() - started) / times


def measure(rounds: int = 7) -> list[dict[str, Any]]:
    """For each length: best of so many interleaved rounds of both, in milliseconds a call, and their ratio."""
    found = []
    for size in SIZES:
        random = Random(size)
        value = text_of(size, random)
        answer = changed(value, random)
        times = max(1, 50_000 // size)
        taken: dict[str, list[float]] = {"bare": [], "check": []}
        for _ in range(rounds):
            taken["bare"].append(milliseconds(bare, value, answer, times))
            taken["check"].append(milliseconds(checked, value, answer, times))
        floor, best = min(taken["bare"]), min(taken["check"])
        found.append({"characters": size, "bare_ms": floor, "ms": best, "ratio": best / floor})
    return found


def main() -> None:
    """Prints one line for each length."""
    for row in measure():
        print(
            f"{row['characters']:>8,} characters: bare {row['bare_ms']:.3f} ms, "
            f"check {row['ms']:.3f} ms, ratio {row['ratio']:.2f}"
        )


if __name__ == "__main__":
    main()
