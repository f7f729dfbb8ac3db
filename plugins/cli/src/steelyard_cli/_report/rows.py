"""The lines of a report: one for each gate, each bound, and each scorer of which nothing is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Literal

from attrs import evolve, frozen

from steelyard import Aggregate, Bound, EvalResult, GateResult, Scale, ThresholdResult
from steelyard_cli._report.numbers import number, short

Rules = Mapping[tuple[int | None, str], str]
Text = Callable[[str], str]


class RowStatus(StrEnum):
    """What became of a line.

    ``passed`` and ``missed`` say that there was a number and how it lay; ``not computed`` that one was wanted and a
    failure left it open (it counts as not passed); ``held so far`` that it would have passed, had the run not ended
    early; ``no say`` that no item was scorable for it; ``tracked`` and ``not
    measured`` are those of scorers of which nothing is asked, with and without a number.
    """

    PASSED = "passed"
    HELD = "held so far"
    MISSED = "missed"
    NOT_COMPUTED = "not computed"
    NO_SAY = "no say"
    TRACKED = "tracked"
    NOT_MEASURED = "not measured"


@frozen(kw_only=True)
class Row:
    """One gate, one bound, or one scorer without any.

    ``average`` is over the ``n_scored`` items (of a bound on a slice or a part: those of it), None where there are
    none. ``pass_rate`` is given where the bound is of it. ``rule`` says how many items a gate wants at the best score
    (None where nothing tells).
    """

    kind: Literal["gate", "threshold", "scorer"]
    turn: int | None
    scope: str
    key: str
    id: str
    part: str | None = None
    slice: str | None = None
    scale: Scale | None
    average: float | None
    pass_rate: float | None = None
    of: str = "average"
    n_scored: int
    n_not_scorable: int
    n_failed: int
    n_best: int | None = None
    min: float | None = None
    max: float | None = None
    rule: str | None = None
    passed: bool | None = None
    status: RowStatus

    @property
    def name(self) -> str:
        """The key, with the turn and the group that it stands in, and the part and the slice that it is of."""
        turn = "" if self.turn is None else f"turn {self.turn}: "
        group = "" if self.turn is not None or self.scope in ("gates", "scorers") else f"{self.scope}: "
        part = "" if self.part is None else f"/{self.part}"
        slice = "" if self.slice is None else f" [{self.slice}]"
        return f"{turn}{group}{self.key}{part}{slice}"

    @property
    def direction(self) -> str | None:
        """Which scores are better: ``"higher"`` or ``"lower"``."""
        return None if self.scale is None else self.scale.direction

    @property
    def value(self) -> float | None:
        """What a bound is compared with."""
        return self.pass_rate if self.of == "pass_rate" else self.average

    @property
    def asked(self) -> bool:
        """Whether anything is asked of it, so that it can pass or not."""
        return self.kind != "scorer"

    @property
    def shown_average(self) -> str:
        """The average for display: never rounded to a bound, or to an end of the scale, that it does not reach."""
        ends = () if self.scale is None else (self.scale.low, self.scale.high)
        return number(self.average, (*(() if self.of == "pass_rate" else (self.min, self.max)), *ends))

    @property
    def bound(self) -> str:
        """What is asked, in few words; empty where nothing is."""
        if self.kind == "gate":
            return "gate" if self.rule is None else f"gate: {self.rule}"
        words = bound_in_words(self.min, self.max)
        if self.of == "pass_rate":
            return f"pass rate {words}, is {number(self.pass_rate, (self.min, self.max, 0, 1))}"
        return words


def bound_in_words(low: float | None, high: float | None) -> str:
    """``>= 0.8``, ``<= 0.1``, ``0.2 to 0.8``."""
    if low is not None and high is not None:
        return f"{short(low)} to {short(high)}"
    if low is not None:
        return f">= {short(low)}"
    return "" if high is None else f"<= {short(high)}"


def rows_of(result: EvalResult, rules: Rules, hide: Text) -> Iterator[Row]:
    """Gates first, then each turn, then scorers with their bounds, in the order of the evaluation."""
    gates: Mapping[str, Aggregate] = result.aggregates.get("gates", {})
    for gate in result.gate_results:
        yield _of_gate(None, gate, gates.get(gate.key), rules, hide)
    for turn in result.turn_results:
        for gate in turn.gate_results:
            yield _of_gate(turn.index, gate, turn.aggregates.get(gate.key), rules, hide)
        for key in turn.scores:
            bounds = [each for each in turn.threshold_results if each.key == key]
            yield from _of_scorer(turn.index, "scorers", turn.aggregates[key], bounds, hide)
    for scope, accounts in result.aggregates.items():
        if scope == "gates":
            continue
        for account in accounts.values():
            bounds = [each for each in result.threshold_results if (each.scope, each.key) == (scope, account.key)]
            yield from _of_scorer(None, scope, account, bounds, hide)


def held_so_far(row: Row) -> Row:
    """The line in the report of a run that ended early: what holds may not hold to the end."""
    return evolve(row, status=RowStatus.HELD) if row.status is RowStatus.PASSED else row


def _of_gate(turn: int | None, gate: GateResult, account: Aggregate | None, rules: Rules, hide: Text) -> Row:
    status = RowStatus.NO_SAY
    if gate.passed:
        status = RowStatus.PASSED
    elif gate.passed is False:
        # A gate that would have held without its failures was not missed: it could not be decided.
        status = RowStatus.MISSED if gate.n_best < gate.n_scored or not gate.n_failed else RowStatus.NOT_COMPUTED
    return Row(
        kind="gate",
        turn=turn,
        scope="gates",
        key=hide(gate.key),
        id=hide(gate.id),
        scale=None if account is None else account.scale,
        average=gate.score,
        n_scored=gate.n_scored,
        n_not_scorable=gate.n_not_scorable,
        n_failed=gate.n_failed,
        n_best=gate.n_best,
        rule=rules.get((turn, gate.key)),
        passed=gate.passed,
        status=status,
    )


def _of_scorer(
    turn: int | None, scope: str, account: Aggregate, bounds: list[ThresholdResult], hide: Text
) -> Iterator[Row]:
    for each in bounds:
        bound = each.threshold
        seen = account if bound.slice is None else account.slices.get(bound.slice)
        yield Row(
            kind="threshold",
            turn=turn,
            scope=hide(scope),
            key=hide(each.key),
            id=hide(each.id),
            part=None if bound.part is None else hide(bound.part),
            slice=None if bound.slice is None else hide(bound.slice),
            scale=account.scale if bound.part is None else None,
            average=each.average_score,
            pass_rate=each.pass_rate,
            of=bound.of,
            n_scored=each.n_scored,
            n_not_scorable=each.n_not_scorable,
            n_failed=each.n_failed,
            n_best=None if seen is None or bound.part is not None else seen.n_best,
            min=bound.min,
            max=bound.max,
            passed=each.passed,
            status=_status_of_bound(each, bound),
        )
    if any(each.threshold.part is None and each.threshold.slice is None for each in bounds):
        return
    # A scorer that is bounded on a part or a slice alone is shown over all items as well.
    yield Row(
        kind="scorer",
        turn=turn,
        scope=hide(scope),
        key=hide(account.key),
        id=hide(account.id),
        scale=account.scale,
        average=account.average,
        n_scored=account.n_scored,
        n_not_scorable=account.n_not_scorable,
        n_failed=account.n_failed,
        n_best=account.n_best,
        status=RowStatus.TRACKED if account.n_scored else RowStatus.NOT_MEASURED,
    )


def _status_of_bound(result: ThresholdResult, bound: Bound) -> RowStatus:
    if result.passed is None:
        return RowStatus.NO_SAY
    if result.passed:
        return RowStatus.PASSED
    value = result.pass_rate if bound.of == "pass_rate" else result.average_score
    if value is None:
        return RowStatus.NOT_COMPUTED
    slack = 1e-9 * max(abs(each) for each in (value, bound.min, bound.max) if each is not None)
    within = (bound.min is None or value >= bound.min - slack) and (bound.max is None or value <= bound.max + slack)
    return RowStatus.NOT_COMPUTED if within and result.n_failed else RowStatus.MISSED
