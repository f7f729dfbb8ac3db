"""Every scorer has one stable key in its scope, and mappings of scores also take the plain id."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest

from steelyard import (
    AgentScorers,
    Args,
    ByKey,
    ConfigurationError,
    EvalItem,
    PassRate,
    PipelineScorer,
    Scale,
    Threshold,
    Tracked,
    Turn,
    WorkflowScorers,
    create_scorer,
    from_item,
    run_evals,
    scorer_key,
)

Scorer = PipelineScorer[Any, Any, Any, Any]


def made(id: str = "s", *args: object, scale: Scale = Scale(), **named: object) -> Scorer:  # noqa: B008
    return create_scorer(id, "d", args=Args(*args, **named), scale=scale).generate_score(lambda ctx: ctx.run.output)


# -- the key itself ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scorer", "key"),
    [
        (made(), "s"),
        (made("s", "sun"), 's("sun")'),
        (made("check-includes", "sun", ignore_case=False), 'check-includes("sun", ignore_case=false)'),
        (made("s", 3, 0.5, True, None), "s(3, 0.5, true, null)"),
        (made("s", ["a", "b"], {"k": 1}), 's(["a", "b"], {"k": 1})'),
        (made("s", "Größe"), 's("Größe")'),
        (made("s", 'a "quoted" one'), 's("a \\"quoted\\" one")'),
        (made("s", re.compile("a+")), 's("a+")'),
        (made("s", {"b", "a"}), 's(["a", "b"])'),
        (made("s", from_item("ground_truth")), 's({"from_item": "ground_truth"})'),
        (made("s", made), 's("made")'),
    ],
)
def test_the_key_is_the_id_and_the_arguments_as_json_named_when_keyword_only(scorer: Scorer, key: str) -> None:
    assert scorer_key(scorer) == key


def test_arguments_longer_than_sixty_characters_are_cut_and_end_in_their_hash() -> None:
    exact, long = made("s", "x" * 58), made("s", "x" * 59)
    assert scorer_key(exact) == f's("{"x" * 58}")'
    key = scorer_key(long)
    assert re.fullmatch(r's\("x{51}[0-9a-f]{8}\)', key)
    assert scorer_key(made("s", "x" * 59)) == key
    assert scorer_key(made("s", "x" * 59 + "y")) != key


def test_an_argument_that_is_a_scorer_is_shown_by_its_own_key() -> None:
    assert scorer_key(made("not", made("s", "x", n=1))) == 'not(s("x", n=1))'
    assert scorer_key(made("both", made("a"), [1], more=made("b", 2))) == "both(a, [1], more=b(2))"
    assert len({scorer_key(made("not", made("s", "x" * 100 + end))) for end in "ab"}) == 2


def test_arguments_that_no_encoding_can_hold_still_have_a_key() -> None:
    assert scorer_key(made("s", "\ud800" * 70)).startswith("s(")


# -- mappings of scores ------------------------------------------------------------------------------------------------


def test_a_mapping_of_scores_takes_the_plain_id_while_one_key_has_it_and_iterates_over_keys() -> None:
    result = run_evals(data=[{"output": 1.0}], scorers=[made("a", "x"), made("b", 1), made("b", 2)])
    scores = result.scores
    assert list(scores) == ['a("x")', "b(1)", "b(2)"]
    assert scores["a"] == scores['a("x")'] == 1.0
    assert "a" in scores
    assert scores.get("a") == 1.0
    assert "b" not in scores
    assert scores.get("b") is None
    with pytest.raises(KeyError, match=r"b\(1\)"):
        scores["b"]
    assert len(scores) == 3
    assert result.items[0]["a"].score == 1.0


def test_a_key_that_is_the_plain_id_is_found_by_it_even_beside_others_of_that_id() -> None:
    result = run_evals(data=[{"output": 1.0}], scorers=[made("a"), made("a", "x")])
    assert result.scores["a"] == 1.0
    assert list(result.scores) == ["a", 'a("x")']


def test_mappings_by_key_are_equal_by_what_they_hold_and_pickle() -> None:
    one = ByKey.of({"a": 1.0, "b(1)": None}, {"a": "a", "b(1)": "b"}, {"a/part": 0.5})
    assert one == {"a": 1.0, "b(1)": None}
    assert one == ByKey.of({"a": 1.0, "b(1)": None}, {"a": "a", "b(1)": "b"})
    assert one != ByKey.of({"a": 1.0}, {"a": "a"})
    copy = pickle.loads(pickle.dumps(one))
    assert copy == one
    assert (copy["b"], copy["a/part"], copy.ids) == (None, 0.5, {"a": "a", "b(1)": "b"})
    assert pickle.loads(pickle.dumps(ByKey.of({}, {}))) == {}
    assert json.dumps(dict(one)) == '{"a": 1.0, "b(1)": null}'


# -- keys that clash ---------------------------------------------------------------------------------------------------


def refused(**given: Any) -> None:
    calls: list[object] = []
    with pytest.raises(ConfigurationError, match="'s'"):
        run_evals(target=calls.append, **{"data": [{"input": "q"}], **given})
    assert calls == []


@pytest.mark.parametrize(
    "entries",
    [
        [made(), made()],
        [made("s"), made("s")],
        [Threshold(made(), 0.5), Threshold(made(), 0.7)],
        [made(), Threshold(made(), 0.5)],
    ],
)
def test_two_scorers_of_one_key_in_one_scope_are_refused_before_anything_runs(entries: list[Any]) -> None:
    refused(scorers=entries)
    refused(gates=[made(), made()])


def test_the_same_object_twice_is_refused_unless_each_entry_is_a_bound_on_it() -> None:
    one = made()
    refused(scorers=[one, one])
    refused(scorers=[one, Threshold(one, 0.5)])
    refused(scorers=[Threshold(one, 0.5), one])
    refused(scorers=[Tracked(one, pass_at=0.5), Tracked(one, pass_at=0.5)])
    refused(gates=[one, one])


def test_bounds_on_the_same_object_run_it_once_and_give_one_result_each() -> None:
    calls: list[object] = []
    one = create_scorer("s", "d").generate_score(lambda ctx: calls.append(ctx) or 0.5)  # type: ignore[func-returns-value]
    result = run_evals(
        data=[{"output": "a"}], scorers=[Threshold(one, 0.4), Threshold(one, max=0.45), PassRate(one, share=1.0)]
    )
    assert len(calls) == 1
    assert [bound.passed for bound in result.threshold_results] == [True, False, False]
    assert result.scores["s"] == 0.5


def test_two_different_pass_marks_on_one_object_are_refused() -> None:
    one = made()
    refused(scorers=[Threshold(one, 0.5, pass_at=0.5), Threshold(one, 0.6, pass_at=0.6)])


def test_the_same_key_may_stand_in_different_scopes() -> None:
    one = made()
    result = run_evals(data=[{"output": 1.0}], gates=[one], scorers=[one])
    assert (result.gate_results[0].key, result.scores["s"]) == ("s", 1.0)
    groups = AgentScorers(
        agent=[create_scorer("s", "d", type="agent").generate_score(lambda ctx: 1.0)],
        trajectory=[create_scorer("s", "d", type="trajectory").generate_score(lambda ctx: 0.0)],
    )
    scores = run_evals(data=[{"output": "a"}], scorers=groups).scores
    assert (scores["agent"]["s"], scores["trajectory"]["s"]) == (1.0, 0.0)


def test_keys_that_clash_within_a_group_are_refused() -> None:
    refused(scorers=AgentScorers(agent=[made(), made()]))
    refused(scorers=WorkflowScorers(steps={"a": [made(), made()]}))


def test_keys_that_clash_within_one_turn_are_refused_and_in_two_turns_are_not() -> None:
    refused(data=[EvalItem(turns=[Turn(input="q", scorers=[made(), made()])])])
    refused(data=[EvalItem(turns=[Turn(input="q", gates=[made(), made()])])])
    two = EvalItem(turns=[Turn(input="q", scorers=[made()]), Turn(input="q", scorers=[made()])])
    result = run_evals(data=[two], target=lambda given: 0.5)
    assert [turn.scores["s"] for turn in result.turn_results] == [0.5, 0.5]


def test_an_item_may_not_add_a_key_that_the_evaluation_has_in_that_scope() -> None:
    refused(scorers=[made()], data=[EvalItem(input="q", scorers=[made()])])
    refused(gates=[made()], data=[EvalItem(input="q", gates=[made()])])


def test_an_item_of_a_stream_that_adds_a_taken_key_is_a_bad_item_and_leaves_no_trace() -> None:
    stream = iter([EvalItem(output=1.0, scorers=[made()]), EvalItem(output=1.0)])
    result = run_evals(data=stream, scorers=[made()])
    assert result.summary.bad_items == 1
    assert result.scores["s"] == 1.0
    assert list(result.scores) == ["s"]


def test_turns_of_different_items_pool_under_one_key_and_each_bound_is_judged_on_the_pooled_average() -> None:
    data = [
        EvalItem(turns=[Turn(input=0.2, scorers=[Threshold(made(), 0.5)])]),
        EvalItem(turns=[Turn(input=0.6, scorers=[Threshold(made(), 0.3)])]),
        EvalItem(turns=[Turn(input=0.4, scorers=[made()])]),
    ]
    [turn] = run_evals(data=data, target=lambda given: given).turn_results
    assert turn.scores["s"] == pytest.approx(0.4)
    assert [(bound.threshold.min, bound.passed) for bound in turn.threshold_results] == [(0.5, False), (0.3, True)]


@pytest.mark.parametrize(
    "second",
    [
        [made(scale=Scale(0, 10))],
        [made(scale=Scale(0, 1, "lower"))],
        [Tracked(made(), pass_at=0.5)],
        [PassRate(made(), share=0.5)],
    ],
)
def test_pooled_scorers_must_have_one_scale_and_one_pass_mark(second: list[Any]) -> None:
    refused(
        data=[
            EvalItem(turns=[Turn(input="q", scorers=[made()])]),
            EvalItem(turns=[Turn(input="q", scorers=second)]),
        ]
    )
    refused(data=[EvalItem(input="q", scorers=[made()]), EvalItem(input="q", scorers=second)])
