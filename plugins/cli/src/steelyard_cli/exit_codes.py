"""The exit codes of the command: what each means, and which one a result comes to. Once published, none changes its
meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard import EvalResult


class ExitCode(IntEnum):
    """How the command ended."""

    PASSED = 0
    MISSED = 1
    REFUSED = 2
    NOT_EVALUATED = 3
    INTERNAL = 70
    INTERRUPTED = 130


MEANING: Mapping[ExitCode, str] = {
    ExitCode.PASSED: (
        "the verdict is passed; or nothing was to be held (there is no gate and no threshold) and something was scored"
    ),
    ExitCode.MISSED: (
        "the verdict is failed; or it is scored, that is, a threshold was missed (with `--allow-scored` that is 0); "
        "or `--fail-fast` ended the run"
    ),
    ExitCode.REFUSED: (
        "something is wrong with the options, the evaluation or the data, or there are no data: "
        "nothing was called and nothing spent"
    ),
    ExitCode.NOT_EVALUATED: (
        "no item could be evaluated; or there are gates or thresholds and none could be computed; "
        "or the selection holds no item; "
        "or the data broke off before their end, and nothing had failed until then"
    ),
    ExitCode.INTERNAL: (
        "an error of the command itself, or results that could not be written (a file, or standard output); "
        "`--debug` shows where"
    ),
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C, SIGTERM); the results so far are written",
}
"""The whole table; ``docs/exit-codes.md`` holds the same words."""


def of_result(
    result: EvalResult, *, allow_scored: bool = False, stopped: bool = False, broken_off: bool = False
) -> ExitCode:
    """The code of a run that came to a result.

    ``stopped`` says that a failed item ended it early (``--fail-fast``), ``broken_off`` that its data did: then it
    ended before its time without anybody's wish, and is not complete enough to pass. What could not be measured never
    comes to 0.
    """
    if result.interrupted and not broken_off:
        return ExitCode.INTERRUPTED
    held = list(_held(result))
    if not any(_scored(result)) or (held and not any(n_scored for _, n_scored in held)):
        return ExitCode.NOT_EVALUATED
    code = _of_verdict(result, held, allow_scored)
    if code is ExitCode.PASSED and stopped:
        return ExitCode.MISSED
    if code is ExitCode.PASSED and broken_off:
        return ExitCode.NOT_EVALUATED
    return code


def _of_verdict(result: EvalResult, held: list[tuple[bool | None, int]], allow_scored: bool) -> ExitCode:
    match result.verdict:
        case "passed":
            return ExitCode.PASSED
        case "scored":
            return ExitCode.PASSED if allow_scored else ExitCode.MISSED
        case "failed":
            return ExitCode.MISSED
        case _:
            # Rules of other people's gates may find nothing to decide on where something was scored.
            return ExitCode.NOT_EVALUATED if held else ExitCode.PASSED


def _held(result: EvalResult) -> Iterator[tuple[bool | None, int]]:
    """What had to hold, each with what became of it and on how many scores that rests."""
    gates = [result.gate_results, *(turn.gate_results for turn in result.turn_results)]
    bounds = [result.threshold_results, *(turn.threshold_results for turn in result.turn_results)]
    yield from ((gate.passed, gate.n_scored) for group in gates for gate in group)
    yield from ((bound.passed, bound.n_scored) for group in bounds for bound in group)


def _scored(result: EvalResult) -> Iterator[int]:
    """How many scores each scorer gave."""
    for accounts in (*result.aggregates.values(), *(turn.aggregates for turn in result.turn_results)):
        for account in accounts.values():
            yield account.n_scored
