"""The running account of an evaluation: what each item adds, and the result at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard._model.outcome import Outcome
from steelyard._model.usage import Usage
from steelyard._running.aggregate import Aggregate
from steelyard._running.compose import Entry, Plan, Scope
from steelyard._running.gates import GateResult, ThresholdResult, Verdict, judge_bound, judge_gate, verdict_of
from steelyard._running.item import EvalItem
from steelyard._running.keys import ByKey
from steelyard._running.result import EvalResult, ItemResult, ObserverNote, Summary, TurnResult
from steelyard._running.slices import slice_names
from steelyard._running.work import STEPS_PREFIX, Done, done_again


class Ledger:
    """Counts items as they complete; memory stays flat however many there are."""

    def __init__(self, plan: Plan, groups: Sequence[str]) -> None:
        self._plan = plan
        self._groups = groups
        self.callback_errors = 0
        self._target_ms = 0.0
        self._duration_ms: float | None = None
        self._threads_left = 0
        self._clear()

    def _clear(self) -> None:
        self.total_items = 0
        self._counted_items = 0
        self._bad_items = 0
        self._target_errors = 0
        self._n_turns = 0
        self._target_usage = _UsageSum()
        self._judge_usage = _UsageSum()

    @property
    def half_counted(self) -> bool:
        """Whether the counting of an item was begun and not ended."""
        return self.total_items != self._counted_items

    def recount(self, results: Sequence[ItemResult]) -> None:
        """Begins the account anew, with these items alone."""
        plan = self._plan
        own = (*plan.own_gates.values(), *plan.own_scorers.values())
        for entry in (*plan.common, *own, *self._turn_entries()):
            entry.tally.clear()
        self._clear()
        for result in results:
            self.count(done_again(plan, result))

    def count(self, done: Done) -> None:
        """Adds one item."""
        self.total_items += 1
        result = done.result
        for scope, outcomes in done.counted:
            for tally, outcome in zip(scope.tallies, outcomes, strict=True):
                tally.add(outcome)
            if scope.judged:
                self._count_judging(scope, outcomes)
        if self._groups and isinstance(result.item, EvalItem):
            self._count_slices(slice_names(result.item, self._groups), done)
        if result.error is not None:
            if done.bad:
                self._bad_items += 1
            else:
                self._target_errors += 1
        self._n_turns = max(self._n_turns, done.n_turns)
        self._target_ms += done.target_ms
        if result.usage is not None or result.cost is not None:
            self._target_usage.add(result.usage, result.cost)
        self._counted_items += 1

    def _count_slices(self, names: Sequence[str], done: Done) -> None:
        for scope, outcomes in done.counted:
            for tally, outcome in zip(scope.tallies, outcomes, strict=True):
                for name in names:
                    tally.slice(name).add(outcome)

    def _count_judging(self, scope: Scope, outcomes: Sequence[Outcome]) -> None:
        for entry, outcome in zip(scope.entries, outcomes, strict=True):
            result = None if entry.plain is not None else outcome.result
            for executions in () if result is None else result.judge.values():
                for execution in executions:
                    self._judge_usage.add(execution.usage, execution.cost, execution.model_call_count)

    def ended(self, seconds: float, threads_left: int) -> None:
        """Takes note of how long the run took, and of the threads that it left behind."""
        self._duration_ms = 1000 * seconds
        self._threads_left = threads_left

    def result(
        self,
        *,
        items: Sequence[ItemResult],
        planned: int | None,
        interruption: str | None,
        observers: tuple[ObserverNote, ...],
    ) -> EvalResult:
        """What the account says now."""
        plan = self._plan
        gate_entries = [*plan.gates.entries, *plan.own_gates.values()]
        by_scope: dict[str, list[Entry]] = {"gates": gate_entries}
        for scope in plan.scopes:
            by_scope[scope.name] = list(scope.entries)
        if plan.own_scorers:
            by_scope.setdefault(plan.own_scope, []).extend(plan.own_scorers.values())
        scorer_entries = [entry for name, entries in by_scope.items() if name != "gates" for entry in entries]
        gate_results = _gates(gate_entries)
        threshold_results = _thresholds(scorer_entries)
        turn_results = self._turns()
        all_gates = [*gate_results, *(gate for turn in turn_results for gate in turn.gate_results)]
        all_thresholds = [*threshold_results, *(each for turn in turn_results for each in turn.threshold_results)]
        verdict = verdict_of(all_gates, all_thresholds)
        if interruption is not None and verdict is not Verdict.FAILED:
            verdict = None
        return EvalResult(
            verdict=verdict,
            scores=self._scores(by_scope),
            summary=self._summary([*gate_entries, *scorer_entries, *self._turn_entries()], planned),
            gate_results=tuple(gate_results),
            threshold_results=tuple(threshold_results),
            turn_results=tuple(turn_results),
            items=items,
            aggregates={name: _aggregates(entries) for name, entries in by_scope.items() if entries},
            observers=observers,
            interrupted=interruption is not None,
            interruption=interruption,
        )

    def _scores(self, by_scope: Mapping[str, list[Entry]]) -> Mapping[str, Any]:
        if self._plan.form == "plain":
            return _averages(by_scope.get("scorers", []))
        scores: dict[str, Any] = {}
        for name, entries in by_scope.items():
            if name == "gates" or not entries:
                continue
            if name.startswith(STEPS_PREFIX):
                scores.setdefault("steps", {})[name.removeprefix(STEPS_PREFIX)] = _averages(entries)
            else:
                scores[name] = _averages(entries)
        return scores

    def _turn_entries(self) -> list[Entry]:
        return [
            entry
            for scopes in self._plan.turns.values()
            for entry in (*scopes.gates.values(), *scopes.scorers.values())
        ]

    def _turns(self) -> list[TurnResult]:
        results = []
        for at in range(self._n_turns):
            scopes = self._plan.turns.get(at)
            gates = [] if scopes is None else list(scopes.gates.values())
            scorers = [] if scopes is None else list(scopes.scorers.values())
            results.append(
                TurnResult(
                    index=at,
                    gate_results=tuple(_gates(gates)),
                    threshold_results=tuple(_thresholds(scorers)),
                    scores=_averages(scorers),
                    aggregates=_aggregates([*gates, *scorers]),
                )
            )
        return results

    def _summary(self, entries: Sequence[Entry], planned: int | None) -> Summary:
        not_scorable: Counter[str] = Counter()
        errors: Counter[str] = Counter()
        for entry in entries:
            not_scorable[entry.key] += entry.tally.n_not_scorable
            errors[entry.key] += entry.tally.n_own_failures
        return Summary(
            total_items=self.total_items,
            planned_items=planned,
            not_scorable={key: count for key, count in not_scorable.items() if count},
            errors={key: count for key, count in errors.items() if count},
            target_errors=self._target_errors,
            bad_items=self._bad_items,
            callback_errors=self.callback_errors,
            threads_left_behind=self._threads_left,
            duration_ms=self._duration_ms,
            target_duration_ms=self._target_ms,
            target_usage=self._target_usage.usage,
            target_cost=self._target_usage.cost,
            judge_calls=self._judge_usage.calls,
            judge_usage=self._judge_usage.usage,
            judge_calls_without_usage=self._judge_usage.without_usage,
            judge_cost=self._judge_usage.cost,
            judge_calls_without_cost=self._judge_usage.without_cost,
        )


class _UsageSum:
    """Usage and cost over calls, and how many calls did not tell."""

    def __init__(self) -> None:
        self.calls = 0
        self.usage: Usage | None = None
        self.cost: float | None = None
        self.without_usage = 0
        self.without_cost = 0

    def add(self, usage: Usage | None, cost: float | None, calls: int = 1) -> None:
        """Adds an exchange of so many calls, of which at most the last told what it used."""
        self.calls += calls
        self.without_usage += calls - (usage is not None)
        self.without_cost += calls - (cost is not None)
        if usage is not None:
            self.usage = usage if self.usage is None else self.usage + usage
        if cost is not None:
            self.cost = cost if self.cost is None else self.cost + cost


def _gates(entries: Sequence[Entry]) -> list[GateResult]:
    return [judge_gate(entry.gate, entry.key, entry.scope, entry.tally) for entry in entries if entry.gate is not None]


def _thresholds(entries: Sequence[Entry]) -> list[ThresholdResult]:
    return [
        judge_bound(bound, entry.id, entry.key, entry.scope, entry.tally) for entry in entries for bound in entry.bounds
    ]


def _averages(entries: Sequence[Entry]) -> ByKey[float | None]:
    ids = {entry.key: entry.id for entry in entries}
    averages = {entry.key: entry.tally.numbers.average for entry in entries}
    parts = {f"{entry.key}/{name}": part.average for entry in entries for name, part in entry.tally.parts.items()}
    return ByKey.of(averages, ids, parts)


def _aggregates(entries: Sequence[Entry]) -> ByKey[Aggregate]:
    return ByKey.of(
        {entry.key: entry.tally.summary(entry.key, entry.id) for entry in entries},
        {entry.key: entry.id for entry in entries},
    )
