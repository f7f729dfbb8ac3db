"""Peak memory of a long stream beside that of a short one, with no item kept."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHORT, LONG = 10_000, 1_000_000


def stream(count: int) -> Iterator[dict[str, Any]]:
    """So many items, each made when it is asked for."""
    from steelyard import Message

    words = "the parcel left our warehouse on Monday and should reach you within three working days"
    for n in range(count):
        text = f"{n} {words} {words} {words}"
        yield {"input": f"Where is parcel {n}?", "output": (Message("assistant", text),), "metadata": {"n": n}}


def evaluate(count: int) -> int:
    """Peak resident memory in bytes after so many items, in this process."""
    import steelyard_checks as checks
    from steelyard import Threshold, run_evals

    scorers = [checks.includes("warehouse"), Threshold(checks.similarity("the parcel left our warehouse"), min=0.1)]
    result = run_evals(data=stream(count), scorers=scorers, gates=[checks.excludes("refund")], keep_items=False)
    assert result.summary.total_items == count
    assert result.verdict == "passed"
    return high_water_mark()


def high_water_mark() -> int:
    """Peak resident memory of this process in bytes.

    Asked of the kernel's status file where there is one: the figure of ``getrusage`` begins with that of the process
    that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        kilobytes = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if kilobytes:
            return int(kilobytes[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def peak(count: int) -> int:
    """Peak resident memory in bytes of a fresh interpreter that evaluates so many items."""
    shown = subprocess.run([sys.executable, __file__, str(count)], capture_output=True, text=True, check=True)
    return int(shown.stdout)


def main(short: int = SHORT, long: int = LONG) -> dict[str, Any]:
    """Both peaks and their difference, in MiB."""
    small, large = peak(short), peak(long)
    return {
        "items": (short, long),
        "peak_mib": (small / 2**20, large / 2**20),
        "difference_mib": (large - small) / 2**20,
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(evaluate(int(sys.argv[1])))
    else:
        print(main())
