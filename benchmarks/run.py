"""Every benchmark, one after the other, as a table of ratios. ``python benchmarks/run.py [--quick]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import bench_command
import bench_import
import bench_judging
import bench_memory
import bench_runner
import bench_similarity


def rows(quick: bool) -> Iterator[tuple[str, str, str]]:
    """Name, what was measured, and the aim."""
    rounds = 3 if quick else 7
    for row in bench_runner.main(rounds, sizes=(1_000, 10_000) if quick else bench_runner.SIZES):
        kept = "kept" if row["keep_items"] else "not kept"
        aim = "at most 3.0" if row["keep_items"] and row["items"] == 10_000 else ""
        found = f"{row['ratio']:.2f} x a bare loop ({row['us_per_item']:.1f} us an item)"
        yield f"5 checks, {row['items']:,} items, {kept}", found, aim
    memory = bench_memory.main(1_000, 20_000) if quick else bench_memory.main()
    yield (
        f"peak memory, {memory['items'][1]:,} streamed items over {memory['items'][0]:,}",
        f"{memory['difference_mib']:+.1f} MiB of {memory['peak_mib'][0]:.0f} MiB",
        "within 30 MiB",
    )
    judging = bench_judging.main(50 if quick else bench_judging.CALLS)
    yield f"{judging['calls']} judge calls of 50 ms, 50 at once", f"{judging['ratio']:.2f} x the ideal", "at most 1.1"
    for likeness in bench_similarity.measure():
        yield (
            f"similarity, {likeness['characters']:,} characters",
            f"{likeness['ratio']:.2f} x a bare Counter Dice ({likeness['ms']:.2f} ms)",
            "100 ms" if likeness["characters"] == 100_000 else "",
        )
    imported = bench_import.main(5 if quick else 15)
    yield "import steelyard", f"{imported['import_ratio']:.2f} x import attrs", "at most 1.5"
    yield "importing what a first evaluation uses", f"{imported['in_use_ratio']:.2f} x import attrs", ""
    command = bench_command.main(5, 1_000, 5_000) if quick else bench_command.main()
    yield "steelyard --help", f"{command['ratio']:.2f} x import click, rich ({command['help_ms']:.0f} ms)", "under 2"
    yield (
        f"the command, {command['items'][1]:,} lines over {command['items'][0]:,}",
        f"{command['difference_mib']:+.1f} MiB of {command['peak_mib'][0]:.0f} MiB",
        "flat",
    )


def main() -> None:
    """Prints the table as it grows."""
    for name, found, aim in rows("--quick" in sys.argv):
        print(f"{name:48} {found:44} {aim}", flush=True)


if __name__ == "__main__":
    main()
