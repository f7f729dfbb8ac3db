"""Importing the core in a fresh interpreter, against importing attrs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

STATEMENTS = ("pass", "import attrs", "import steelyard", "from steelyard import run_evals, scorer, Threshold")


def seconds(statement: str) -> float:
    """Processor seconds of a fresh interpreter that executes one statement."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main(rounds: int = 15) -> dict[str, Any]:
    """Best of so many interleaved rounds: milliseconds of each statement above the bare interpreter, and the ratios to
    attrs."""
    taken: dict[str, list[float]] = {statement: [] for statement in STATEMENTS}
    for _ in range(rounds):
        for statement in STATEMENTS:
            taken[statement].append(seconds(statement))
    best = {statement: min(times) for statement, times in taken.items()}
    attrs = best["import attrs"]
    return {
        "ms": {statement: 1000 * best[statement] for statement in STATEMENTS},
        "import_ratio": best["import steelyard"] / attrs,
        "in_use_ratio": best[STATEMENTS[3]] / attrs,
    }


if __name__ == "__main__":
    print(main())
