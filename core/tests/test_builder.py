"""Scorers are built step by step, and what is wrong with one is said as early as it can be known."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from attrs import frozen

from steelyard import (
    Args,
    ConfigurationError,
    JudgeReply,
    JudgeRequest,
    JudgeSettings,
    PromptStep,
    Scale,
    Scored,
    ScorerRun,
    StepContext,
    UnknownPlugin,
    create_scorer,
    not_scorable,
    run_evals,
    scorer,
)
from steelyard.testing import ScriptedJudge


@frozen
class Verdict:
    good: bool


def one(ctx: object) -> float:
    return 1.0


def prompt(ctx: object) -> str:
    return "Is it good?"


def asking(**more: Any) -> PromptStep[Any, Verdict]:
    return PromptStep(output=Verdict, prompt=prompt, calculate_score=lambda ctx, answer: float(answer.good), **more)


# -- building ----------------------------------------------------------------------------------------------------------


def test_each_step_method_gives_a_new_scorer_and_leaves_the_old_one_as_it_was() -> None:
    empty = create_scorer("s", "d")
    scored = empty.generate_score(one)
    explained = scored.generate_reason(lambda ctx: "because")
    assert (empty.steps, len(scored.steps), len(explained.steps)) == ((), 1, 2)
    assert scored.run_sync(output="a").reason is None
    with pytest.raises(AttributeError):
        scored.id = "other"  # type: ignore[misc]


def test_a_scorer_tells_what_it_was_made_with() -> None:
    scale = Scale(0, 5, "lower")
    made = create_scorer("s", "what it measures", name="Shown", type="agent", scale=scale, args=("a",))
    assert (made.id, made.description, made.name, made.type, made.scale) == (
        "s",
        "what it measures",
        "Shown",
        "agent",
        scale,
    )
    assert made.args == Args("a")
    assert create_scorer("s", "d").name == "s"


@pytest.mark.parametrize("id", ["", "  ", None, 3])
def test_an_id_that_is_blank_or_no_text_is_refused_at_the_call(id: Any) -> None:
    with pytest.raises(ConfigurationError, match="id"):
        create_scorer(id, "d")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"type": "agents"}, "agents"),
        ({"type": "agent", "input": str}, "not both"),
        ({"type": "trajectory", "output": str}, "not both"),
        ({"scale": 1.0}, "Scale"),
        ({"scale": (0, 1)}, "Scale"),
        ({"args": "sun"}, "args="),
        ({"args": 3}, "args="),
        ({"judge": "openai"}, "provider/model"),
        ({"judge": "/model"}, "provider/model"),
        ({"judge": "openai/"}, "provider/model"),
        ({"judge": 3}, "judge="),
        ({"judge": ScriptedJudge}, "instance"),
        ({"judge": lambda request: "yes"}, "judge="),
        ({"judge": JudgeSettings(judge=3)}, "judge="),  # type: ignore[arg-type]
        ({"prepare_run": "drop"}, "prepare_run="),
        ({"needs": "ground_truth"}, "needs="),
    ],
)
def test_what_a_scorer_cannot_be_made_with_is_refused_at_the_call(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        create_scorer("s", "d", **given)


def test_a_prompt_step_that_gives_the_score_needs_calculate_score_and_output() -> None:
    for step in (
        PromptStep(output=Verdict, prompt=prompt),
        PromptStep[Any, Any](prompt=prompt, calculate_score=lambda ctx, answer: 1.0),
    ):
        with pytest.raises(ConfigurationError, match=r"'s'.*generate_score needs"):
            create_scorer("s", "d").generate_score(step)


def test_a_prompt_step_that_gives_the_reason_has_no_output() -> None:
    with pytest.raises(ConfigurationError, match=r"'s'.*generate_reason yields text"):
        create_scorer("s", "d").generate_score(one).generate_reason(PromptStep(output=Verdict, prompt=prompt))


def test_a_step_given_twice_is_refused_at_the_call_with_scorer_and_step() -> None:
    for name in ("preprocess", "analyze", "generate_score", "generate_reason"):
        once = getattr(create_scorer("s", "d"), name)(one)
        with pytest.raises(ConfigurationError, match=rf"'s' has a {name} step already"):
            getattr(once, name)(one)


def test_a_step_out_of_order_is_refused_at_the_call_with_both_steps() -> None:
    scored = create_scorer("s", "d").generate_score(one)
    with pytest.raises(ConfigurationError, match=r"'s': analyze must come before generate_score"):
        scored.analyze(one)
    with pytest.raises(ConfigurationError, match=r"'s': preprocess must come before analyze"):
        create_scorer("s", "d").analyze(one).preprocess(one)


@pytest.mark.parametrize("step", [None, 1.0, "text", {"prompt": "a"}, Verdict(True)])
def test_a_step_that_is_no_function_and_no_prompt_step_is_refused(step: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"'s': generate_score takes a function or a PromptStep"):
        create_scorer("s", "d").generate_score(step)


def test_a_prompt_that_is_no_function_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="prompt="):
        PromptStep(prompt="Is it good?")  # type: ignore[arg-type]


# -- readiness ---------------------------------------------------------------------------------------------------------


def test_a_scorer_without_generate_score_is_refused_when_it_is_run_or_composed() -> None:
    calls: list[object] = []
    made = create_scorer("s", "d").preprocess(calls.append)
    with pytest.raises(ConfigurationError, match=r"'s' has no generate_score"):
        made.run_sync(output="a")
    with pytest.raises(ConfigurationError, match=r"'s' has no generate_score"):
        asyncio.run(made.run(output="a"))
    with pytest.raises(ConfigurationError, match=r"'s' has no generate_score"):
        run_evals(data=[{"input": "q"}], target=calls.append, scorers=[made])
    assert calls == []


def test_a_prompt_step_without_a_judge_at_any_level_is_refused_before_any_step_with_scorer_and_step() -> None:
    calls: list[object] = []
    made = create_scorer("s", "d").preprocess(calls.append).analyze(asking()).generate_score(one)
    with pytest.raises(ConfigurationError, match=r"'s', step analyze: no judge"):
        made.run_sync(output="a")
    with pytest.raises(ConfigurationError, match=r"'s', step analyze: no judge"):
        run_evals(data=[{"input": "q"}], target=calls.append, scorers=[made])
    with pytest.raises(ConfigurationError, match=r"'s', step analyze: no judge"):
        run_evals(data=[{"input": "q"}], target=calls.append, gates=[made])
    assert calls == []


def test_a_judge_that_no_provider_makes_is_refused_before_any_step_and_any_call() -> None:
    calls: list[object] = []
    made = create_scorer("s", "d").preprocess(calls.append).generate_score(asking())
    with pytest.raises(UnknownPlugin, match="nowhere"):
        made.with_judge("nowhere/model").run_sync(output="a")
    with pytest.raises(UnknownPlugin, match="nowhere"):
        run_evals(data=[{"input": "q"}], target=calls.append, scorers=[made.with_judge("nowhere/model")])
    with pytest.raises(UnknownPlugin, match="nowhere"):
        run_evals(data=[{"input": "q"}], target=calls.append, scorers=[made], judge="nowhere/model")
    assert calls == []


def test_a_named_judge_that_no_step_asks_is_not_looked_up() -> None:
    made = create_scorer("s", "d", judge="nowhere/model").generate_score(one)
    assert made.run_sync(output="a").score == 1.0


@pytest.mark.parametrize("level", ["step", "scorer", "with_judge", "evaluation"])
def test_a_judge_at_any_one_level_is_enough(level: str) -> None:
    judge = ScriptedJudge([{"good": True}])
    made = create_scorer("s", "d", judge=judge if level == "scorer" else None).generate_score(
        asking(judge=judge if level == "step" else None)
    )
    if level == "with_judge":
        made = made.with_judge(judge)
    result = run_evals(
        data=[{"output": "a"}],
        scorers=[made],
        **({"judge": judge} if level == "evaluation" else {}),  # type: ignore[arg-type]
    )
    assert result.scores["s"] == 1.0
    assert len(judge.requests) == 1


def test_the_nearer_judge_wins() -> None:
    step, inner, outer = (ScriptedJudge([{"good": True}] * 2) for _ in range(3))
    made = create_scorer("s", "d", judge=inner).preprocess(asking(judge=step)).generate_score(asking())
    run_evals(data=[{"output": "a"}], scorers=[made], judge=outer)
    assert [len(judge.requests) for judge in (step, inner, outer)] == [1, 1, 0]


def test_any_async_function_of_a_request_is_a_judge() -> None:
    async def says(request: JudgeRequest) -> str:
        return '{"good": true}'

    async def replies(request: JudgeRequest) -> JudgeReply:
        return JudgeReply(text='{"good": true}')

    for judge in (says, replies):
        made = create_scorer("s", "d", judge=judge).generate_score(asking())
        assert made.run_sync(output="a").score == 1.0


# -- functions ---------------------------------------------------------------------------------------------------------


def test_a_plain_function_becomes_a_scorer_whose_id_is_its_name() -> None:
    @scorer
    def exact(run: ScorerRun[Any, Any]) -> float:
        """Whether the answer is the expected one.

        More words.
        """
        return float(run.output == run.ground_truth)

    assert (exact.id, exact.description) == ("exact", "Whether the answer is the expected one.")
    assert exact.run_sync(output="a", ground_truth="a").score == 1.0
    assert exact.run_sync(output="a", ground_truth="b").score == 0.0


def test_the_decorator_takes_what_create_scorer_takes() -> None:
    @scorer(id="length", description="How long", type="agent", scale=Scale(0, 100), args=("chars",))
    async def measure(run: ScorerRun[Any, Any]) -> float:
        return len(run.output.text)

    assert (measure.id, measure.description, measure.type, measure.scale.high) == ("length", "How long", "agent", 100)
    assert measure.run_sync(output="hello").score == 5


def test_the_decorator_refuses_what_is_no_function() -> None:
    with pytest.raises(ConfigurationError, match="takes a function"):
        scorer("exact")  # type: ignore[call-overload]
    with pytest.raises(ConfigurationError, match="id"):
        scorer(id="  ")(one)


def test_an_object_that_can_be_called_is_a_scorer_once_it_has_an_id() -> None:
    class Longer:
        async def __call__(self, run: ScorerRun[Any, Any]) -> float:
            return float(len(run.output) > 2)

    with pytest.raises(ConfigurationError, match="id"):
        scorer(Longer())
    assert scorer(id="longer")(Longer()).run_sync(output="abc").score == 1.0


def test_a_plain_function_that_hands_back_a_coroutine_is_awaited_through_every_door() -> None:
    async def later() -> float:
        return 1.0

    made = create_scorer("s", "d").generate_score(lambda ctx: later())
    assert run_evals(data=[{"output": "a"}], scorers=[made]).scores["s"] == 1.0
    assert made.run_sync(output="a").score == 1.0


# -- one scorer, many doors --------------------------------------------------------------------------------------------


def test_a_scorer_of_plain_functions_runs_inside_a_running_loop_without_touching_it() -> None:
    made = create_scorer("s", "d").preprocess(lambda ctx: "seen").generate_score(one)

    async def inside() -> float | None:
        return made.run_sync(output="a").score

    assert asyncio.run(inside()) == 1.0


def test_run_sync_with_async_steps_works_inside_a_running_loop_and_outside() -> None:
    async def step(ctx: StepContext[Any, Any, Any, Any]) -> float:
        await asyncio.sleep(0)
        return 1.0

    made = create_scorer("s", "d").generate_score(step)

    async def inside() -> float | None:
        return made.run_sync(output="a").score

    assert asyncio.run(inside()) == 1.0
    assert made.run_sync(output="a").score == 1.0


def test_run_sync_refuses_arguments_that_it_does_not_know() -> None:
    made = create_scorer("s", "d").generate_score(one)
    with pytest.raises(TypeError, match="outputs"):
        made.run_sync(outputs="a", output="a")
    with pytest.raises(TypeError, match="output="):
        made.run_sync(input="a")


def test_one_scorer_used_by_many_items_at_once_keeps_nothing_of_any() -> None:
    async def step(ctx: StepContext[Any, Any, Any, Any]) -> str:
        await asyncio.sleep(0)
        return str(ctx.run.output)

    made = (
        create_scorer("s", "d", scale=Scale(0, 99))
        .preprocess(step)
        .generate_score(lambda ctx: int(ctx.preprocess_result))
    )
    result = run_evals(data=[{"output": str(at)} for at in range(20)], scorers=[made], concurrency=7)
    assert [item["s"].score for item in result.items] == list(range(20))


def test_the_same_object_given_back_each_time_is_not_mixed_up_between_runs() -> None:
    always = Scored(0.5, "always")
    made = create_scorer("s", "d").generate_score(lambda ctx: always)
    first, second = made.run_sync(output="a", run_id="1"), made.run_sync(output="b", run_id="2")
    assert (first.run_id, second.run_id) == ("1", "2")


def test_not_scorable_given_back_each_time_is_not_mixed_up_between_steps() -> None:
    nothing = not_scorable("nothing there")
    early = create_scorer("s", "d").preprocess(lambda ctx: nothing if ctx.run.output == "a" else 1).generate_score(one)
    late = create_scorer("s", "d").generate_score(lambda ctx: nothing)
    assert early.run_sync(output="a").not_scorable is not None
    steps = [made.run_sync(output="a").not_scorable for made in (early, late)]
    assert [step and step.step for step in steps] == ["preprocess", "generate_score"]
