"""The command: how fast it starts, and its memory over a long file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HELP = "from steelyard_cli.main import cli; cli(['--help'])"
FLOOR = "import click, rich"
RUN = """
import re, sys
from steelyard_cli.main import cli
try:
    cli(sys.argv[1:])
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
EVALUATION = """
data = "data.jsonl"

[[gates]]
check = "excludes"
value = "refund"

[[scorers]]
check = "includes"
value = "warehouse"
min = 0.5
"""


def seconds(statement: str) -> float:
    """Processor seconds of a fresh interpreter that executes one statement."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def start_up(rounds: int = 15) -> dict[str, float]:
    """Best of so many interleaved rounds: milliseconds of ``steelyard --help`` and of importing click and rich."""
    shown, floor = [], []
    for _ in range(rounds):
        floor.append(seconds(FLOOR))
        shown.append(seconds(HELP))
    return {"help_ms": 1000 * min(shown), "floor_ms": 1000 * min(floor), "ratio": min(shown) / min(floor)}


def peak_mib(count: int) -> float:
    """Peak resident memory of a run over so many lines, in MiB; Linux tells it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "evaluation.toml").write_text(EVALUATION, encoding="utf-8")
        with (place / "data.jsonl").open("w", encoding="utf-8") as lines:
            for n in range(count):
                text = f"{n} the parcel left our warehouse on Monday and should reach you within three working days"
                lines.write(json.dumps({"input": f"Where is {n}?", "output": text}) + "\n")
        options = ["run", str(place / "evaluation.toml"), "--quiet", "--jsonl", str(place / "out.jsonl")]
        done = subprocess.run([sys.executable, "-c", RUN, *options], capture_output=True, text=True, check=True)
    found = re.findall(r"^\d+$", done.stdout, flags=re.MULTILINE)
    return int(found[-1]) / 1024


def main(rounds: int = 15, short: int = 10_000, long: int = 100_000) -> dict[str, Any]:
    """Start-up, and both peaks with their difference."""
    small, large = peak_mib(short), peak_mib(long)
    return {**start_up(rounds), "items": (short, long), "peak_mib": (small, large), "difference_mib": large - small}


if __name__ == "__main__":
    print(main())
