"""Golden cases as calls of the public interface, and what came of them in the words of the cases.

The only place that knows both vocabularies. It computes nothing and never reads what a case expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field

import steelyard_checks as checks
from steelyard import (
    AgentScorers,
    ByKey,
    ConfigurationError,
    EvalItem,
    EvalResult,
    ScoreResult,
    ScorerRunError,
    TargetCall,
    Threshold,
    Trajectory,
    WorkflowScorers,
    create_scorer,
    extract_tool_calls,
    extract_trajectory,
    extract_workflow_trajectory,
    first_user_text,
    last_assistant_text,
    last_user_text,
    not_scorable,
    run_evals,
    scorer,
)

Case = Mapping[str, Any]
Observed = dict[str, Any]

REFUSED = {"kind": "refused"}


# -- quick checks ------------------------------------------------------------------------------------------------------

CHECKS: Mapping[str, tuple[Callable[..., Any], str | None]] = {
    "includes": (checks.includes, "value"),
    "excludes": (checks.excludes, "value"),
    "equals": (checks.equals, "value"),
    "matches": (checks.matches, "pattern"),
    "similarity": (checks.similarity, "value"),
    "called_tool": (checks.called_tool, "tool"),
    "did_not_call": (checks.did_not_call, "tool"),
    "tool_order": (checks.tool_order, "order"),
    "max_tool_calls": (checks.max_tool_calls, "max"),
    "used_no_tools": (checks.used_no_tools, None),
    "no_tool_errors": (checks.no_tool_errors, None),
}
"""Each check's factory, and which parameter is its first argument."""

FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, **dict.fromkeys("guyv", re.NOFLAG)}
"""Letters of the original's patterns. Ours keep no position and are always Unicode, so four of them say nothing."""


def check(name: str, params: Mapping[str, Any]) -> Any:
    """The check that a case names, with its parameters; null means not given."""
    factory, first = CHECKS[name]
    given = {key: value for key, value in params.items() if value is not None and key != "repeat_runs"}
    if isinstance(given.get("flags"), str):
        flags = re.NOFLAG
        for letter in given["flags"]:
            flags |= FLAGS[letter]
        given["flags"] = flags
    return factory(**given) if first is None else factory(given.pop(first), **given)


def observe_check(case: Case) -> Observed:
    """What a check says of the case's output, and the calls that are to be seen there."""
    params = case["params"]
    observed: Observed = {"score": None}
    try:
        made = check(case["scorer"], params)
        results = [
            made.run_sync(input=case["input"], output=case["output"]) for _ in range(params.get("repeat_runs", 1))
        ]
        if case["scorer"] == "similarity":
            raw = check("similarity", {**params, "threshold": None})
            observed["raw_similarity"] = raw.run_sync(input=case["input"], output=case["output"]).score
    except ConfigurationError:
        return {"error": REFUSED}
    except ScorerRunError:
        return {"error": {"kind": "scorer_failed"}}
    calls = extract_tool_calls(case["output"])
    return observed | {
        "score": results[0].score,
        "scores": [result.score for result in results],
        "is_scorable": results[0].not_scorable is None,
        "actual_tools": [call.name for call in calls],
        "failed_tools": [call.name for call in calls if call.failed],
    }


# -- the pipeline ------------------------------------------------------------------------------------------------------

STEP_NAMES = {
    "preprocess": "preprocess",
    "analyze": "analyze",
    "score": "generate_score",
    "reason": "generate_reason",
}
GOLDEN_NAMES = {ours: theirs for theirs, ours in STEP_NAMES.items()}


def observe_pipeline(case: Case) -> Observed:
    """What a scorer with the case's steps, added in the order of the case, makes of a run."""
    params = case["params"]
    ran: list[str] = []
    try:
        made: Any = create_scorer(params["id"], "scripted")
        for step in params["steps"]:
            made = getattr(made, STEP_NAMES[step["step"]])(scripted_step(step["step"], step.get("returns"), ran))
        result: ScoreResult = made.run_sync(input="q", output="a")
    except ConfigurationError:
        return {"error": REFUSED, "steps_run": ran}
    except ScorerRunError as error:
        told = {
            "kind": "scorer_failed",
            "failed_step": GOLDEN_NAMES[error.failed_step],
            "completed_steps": [GOLDEN_NAMES[step] for step in error.completed_steps],
            "partial": shown(error.result),
        }
        return {"error": told, "steps_run": ran}
    missed = result.not_scorable
    where = None if missed is None else {"step": GOLDEN_NAMES[str(missed.step)], "reason": missed.reason}
    return {
        **shown(result),
        "reason_not_given": result.reason_not_given,
        "not_scorable": where,
        "steps_run": ran,
    }


def scripted_step(name: str, returns: Any, ran: list[str]) -> Callable[[Any], Any]:
    """A step that notes that it ran and gives what the case says."""

    def step(_: Any) -> Any:
        ran.append(name)
        return scripted_value(returns)

    return step


def scripted_value(value: Any) -> Any:
    """A value of a case: itself, an exception to raise, a declaration that there is nothing to score, or no number."""
    if isinstance(value, Mapping) and "raise" in value:
        raise RuntimeError(value["raise"])
    if isinstance(value, Mapping) and "not_scorable" in value:
        return not_scorable(value["not_scorable"])
    if isinstance(value, Mapping) and "no_score" in value:
        return None
    return number(value)


def number(value: Any) -> Any:
    """The value; the number that JSON cannot spell is spelt as text in the cases."""
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def shown(result: ScoreResult) -> Observed:
    """What a result holds, under the names of the cases."""
    return {
        "score": result.score,
        "reason": result.reason,
        "preprocess": result.preprocess_result,
        "analyze": result.analyze_result,
    }


# -- readings of messages and of workflow results ----------------------------------------------------------------------

CALL_STEP = ("step_type", "name", "tool_args", "tool_result", "success", "duration_ms", "metadata", "children")
WORKFLOW_STEP = ("step_type", "name", "step_id", "status", "output", "duration_ms", "metadata", "children")


def observe_tool_calls(case: Case) -> Observed:
    calls = extract_tool_calls(case["output"])
    places = ("name", "id", "message_index", "call_index")
    return {
        "tools": [call.name for call in calls],
        "calls": [{name: getattr(call, name) for name in places} for call in calls],
        "states": [call.state for call in calls],
    }


def observe_trajectory(case: Case) -> Observed:
    return steps_of(extract_trajectory(case["output"]), CALL_STEP)


def observe_workflow_trajectory(case: Case) -> Observed:
    found = extract_workflow_trajectory(case["step_results"], case["step_execution_path"])
    return steps_of(found, WORKFLOW_STEP) | {"total_duration_ms": found.total_duration_ms}


def steps_of(trajectory: Trajectory, names: Sequence[str]) -> Observed:
    return {"steps": [{name: getattr(step, name) for name in names} for step in trajectory.steps]}


def observe_assistant_message(case: Case) -> Observed:
    return {"text": last_assistant_text(case["output"])}


def observe_user_message(case: Case) -> Observed:
    return {"text": last_user_text(case["input"]), "first_text": first_user_text(case["input"])}


# -- evaluations -------------------------------------------------------------------------------------------------------


@define
class ScriptedAgent:
    """The agent of a case, watched. It answers by the request's text, after a turn of the loop per millisecond."""

    replies: Mapping[str, Any] = field(factory=dict)
    delay_ms: Mapping[str, int] = field(factory=dict)
    calls: int = 0
    running: int = 0
    peak: int = 0
    threads: set[str] = field(factory=set)

    async def __call__(self, given: Any, call: TargetCall) -> Any:
        from asyncio import sleep

        text = first_user_text(given)
        self.calls += 1
        self.running += 1
        self.peak = max(self.peak, self.running)
        self.threads.add(call.thread_id)
        try:
            for _ in range(self.delay_ms.get(text or "", 0)):
                await sleep(0)
            return scripted_value(self.replies.get(text or "", f"echo: {text}"))
        finally:
            self.running -= 1


@define
class Listener:
    """The per-item callback of a case: it notes the first text of each complete item, and raises where it is to."""

    raises: bool
    completed: list[str | None] = field(factory=list)

    def __call__(self, item: EvalItem, target_result: object, scorer_results: object) -> None:
        given = item.input
        if item.inputs is not None:
            given = item.inputs[0]
        elif item.turns is not None:
            given = item.turns[0].input
        self.completed.append(first_user_text(given))
        if self.raises:
            raise RuntimeError("the callback of the case raises")


def observe_run_evals(case: Case) -> Observed:
    """What an evaluation with the case's parameters comes to, and how far it got."""
    params = case["params"]
    script = params.get("agent") or {}
    agent = ScriptedAgent(script.get("replies") or {}, script.get("delay_ms") or {})
    listener = Listener(bool(params.get("callback_raises")))
    try:
        options: dict[str, Any] = {"target": agent, "on_item_complete": listener}
        for name, read in (("data", items), ("gates", entries), ("scorers", groups), ("concurrency", number)):
            if params.get(name) is not None:
                options[name] = read(params[name])
        observed = told(run_evals(**options))
    except ConfigurationError:
        observed = {"error": REFUSED}
    return observed | {
        "agent_calls": agent.calls,
        "items_completed": len(listener.completed),
        "peak_parallel_agent_calls": agent.peak,
        "completion_order": listener.completed,
        "distinct_threads": len(agent.threads),
    }


def items(data: Any) -> Any:
    """The items of a case; whatever is malformed stays so."""
    return [with_entries(item) for item in data] if isinstance(data, list) else data


def with_entries(given: Any) -> Any:
    """An item or a turn with scorers in place of what names them."""
    if not isinstance(given, Mapping):
        return given
    made = dict(given)
    for name in ("gates", "scorers"):
        if name in made:
            made[name] = entries(made[name])
    if isinstance(made.get("turns"), list):
        made["turns"] = [with_entries(turn) for turn in made["turns"]]
    return made


def groups(given: Any) -> Any:
    """The scorers of a case: a list, or groups."""
    if not isinstance(given, Mapping):
        return entries(given)
    steps = given.get("steps")
    read = {name: entries(listed) for name, listed in given.items() if name != "steps"}
    if isinstance(steps, Mapping):
        read["steps"] = {step: entries(listed) for step, listed in steps.items()}
    if set(given) <= {"agent", "trajectory"}:
        return AgentScorers(**read)
    return WorkflowScorers(**read) if set(given) <= {"workflow", "steps", "trajectory"} else read


def entries(given: Any) -> Any:
    return [entry(one) for one in given] if isinstance(given, list) else given


def entry(given: Any) -> Any:
    """A scorer, or a scorer with its bounds; whatever is neither stays as it is."""
    if not isinstance(given, Mapping):
        return given
    if "scorer" not in given:
        return made_scorer(given) if "use" in given else given
    bounds = number_or_bounds(given.get("threshold"))
    if isinstance(bounds, Mapping):
        return Threshold(entry(given["scorer"]), **bounds)
    return Threshold(entry(given["scorer"]), *([] if bounds is None else [bounds]))


def number_or_bounds(threshold: Any) -> Any:
    if isinstance(threshold, Mapping):
        return {name: number(bound) for name, bound in threshold.items()}
    return threshold if isinstance(threshold, list) else number(threshold)


def made_scorer(spec: Mapping[str, Any]) -> Any:
    if spec["use"] != "scripted":
        return check(spec["use"], {key: value for key, value in spec.items() if key != "use"})
    values, default = spec.get("by_text") or {}, spec.get("default")

    @scorer(id=spec["id"], description="scripted", type=spec.get("type") or "agent")
    def scripted(run: Any) -> Any:
        return scripted_value(values.get(first_user_text(run.input) or "", default))

    return scripted


def told(result: EvalResult) -> Observed:
    """An evaluation's result in the form of the cases, and what we tell beyond them: keys, errors, statuses."""
    everything = [*result.aggregates.values(), *(turn.aggregates for turn in result.turn_results)]
    ids = {key: id for by_key in everything for key, id in by_key.ids.items()}
    summary = result.summary
    return {
        "scores": plain(result.scores),
        "summary": {
            "total_items": summary.total_items,
            "not_scorable": {ids.get(key, key): count for key, count in summary.not_scorable.items()},
        },
        "verdict": None if result.verdict is None else str(result.verdict),
        "gate_results": [gate(one) for one in result.gate_results],
        "threshold_results": [bound(one) for one in result.threshold_results],
        "turn_results": [
            {
                "index": turn.index,
                "gate_results": [gate(one) for one in turn.gate_results],
                "threshold_results": [bound(one) for one in turn.threshold_results],
                "scores": plain(turn.scores),
            }
            for turn in result.turn_results
        ],
        "keys": [one.key for one in result.gate_results],
        "errors": dict(summary.errors),
        "target_errors": summary.target_errors,
        "callback_errors": summary.callback_errors,
        "statuses": [str(item.status) for item in result.items],
        "not_scorable_by_scope": {
            scope: {by_key.ids[key]: one.n_not_scorable for key, one in by_key.items()}
            for scope, by_key in result.aggregates.items()
        },
    }


def plain(scores: Mapping[str, Any]) -> Observed:
    """Scores by plain id where it names one key alone, by key elsewhere; groups stay."""
    ids = scores.ids if isinstance(scores, ByKey) else {}
    listed = list(ids.values())
    read = {}
    for key, value in scores.items():
        id = ids.get(key, key)
        read[id if listed.count(id) == 1 else key] = plain(value) if isinstance(value, Mapping) else value
    return read


def gate(result: Any) -> Observed:
    return {"id": result.id, "passed": result.passed, "score": result.score}


def bound(result: Any) -> Observed:
    limits = {"min": result.threshold.min, "max": result.threshold.max}
    return {
        "id": result.id,
        "passed": result.passed,
        "average_score": result.average_score,
        "threshold": limits,
    }


OBSERVERS: Mapping[str, Callable[[Case], Observed]] = {
    **dict.fromkeys(CHECKS, observe_check),
    "scorer_pipeline": observe_pipeline,
    "extract_tool_calls": observe_tool_calls,
    "extract_trajectory": observe_trajectory,
    "extract_workflow_trajectory": observe_workflow_trajectory,
    "get_assistant_message": observe_assistant_message,
    "get_user_message": observe_user_message,
    "run_evals": observe_run_evals,
}


def observe(case: Case) -> Observed:
    """What we make of a case, in the words of the cases."""
    return OBSERVERS[case["scorer"]](case)
