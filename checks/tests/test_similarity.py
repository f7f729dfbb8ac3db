"""How alike ``similarity`` finds two texts, and what that costs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard_checks as checks
from checks.tests.answers import LAW, answers, reason, said, score, texts
from steelyard import ConfigurationError
from steelyard_checks._similarity import Likeness, pairs_of, shared


def alike(value: str, *answer: str, **options: Any) -> float:
    return score(checks.similarity(value, **options), said(*answer))


def test_shared_pairs_count_twice_against_all_pairs() -> None:
    # Worked out by hand: night has ni, ig, gh, ht and nacht has na, ac, ch, ht; one is shared: 2 * 1 / (4 + 4).
    assert alike("night", "nacht") == 0.25


def test_pairs_are_counted_as_often_as_they_occur() -> None:
    # aaaa has aa three times, aa has it once: 2 * 1 / (3 + 1).
    assert alike("aaaa", "aa") == 0.5


def test_white_space_does_not_count_wherever_it_is() -> None:
    assert alike("alpha beta", "alp\u3000ha\n be\tta") == 1.0
    assert alike(" ", "\n\t") == 1.0


def test_equal_texts_are_alike_however_short() -> None:
    assert alike("a", "A") == 1.0
    assert alike("", "") == 1.0
    assert score(checks.similarity(""), []) == 1.0


def test_a_text_of_fewer_than_two_characters_is_like_no_other() -> None:
    assert alike("a", "ab") == 0.0
    assert alike("", "ab") == 0.0
    assert alike("ab", "") == 0.0


def test_characters_are_code_points() -> None:
    assert alike("a🛸", "a🚀") == 0.0
    assert alike("go 🛸 now", "go 🚀 now") == 0.6


def test_short_text_without_spaces_in_any_script_has_a_score() -> None:
    assert alike("今日は晴れ", "今日は雨") == 4 / 7
    assert alike("晴", "雨") == 0.0


def test_composed_and_folded_forms_are_compared() -> None:
    assert alike("e\u0301t", "\u00e9t") == 1.0
    assert alike("STRASSE", "straße") == 1.0
    assert alike("SUN", "sun", ignore_case=False) == 0.0


def test_the_answer_is_its_texts_joined() -> None:
    assert alike("alpha beta gamma", "alpha beta", "", "gamma") == 1.0


def test_a_threshold_makes_it_yes_or_no_with_both_ends_allowed() -> None:
    assert alike("night", "nacht", threshold=0.25) == 1.0
    assert alike("night", "nacht", threshold=0.26) == 0.0
    assert alike("night", "wolf", threshold=0) == 1.0
    assert alike("night", "night", threshold=1) == 1.0


def test_the_reason_gives_the_measure_the_bound_and_the_answer() -> None:
    check, strict = checks.similarity("night"), checks.similarity("night", 0.3)
    assert reason(check, said("Nacht")) == "0.25 alike to 'night': the answer is 'Nacht'."
    assert reason(strict, said("Nacht")) == "0.25 alike to 'night', at least 0.3 asked: the answer is 'Nacht'."
    assert reason(strict, said("nights")).endswith("at least 0.3 asked.")


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf"), True, False, "0.5", [0.5]])
def test_a_threshold_that_is_no_number_from_0_to_1_is_refused(threshold: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"similarity\(threshold=\): "):
        checks.similarity("sun", threshold)


class Counting(dict[str, int]):
    """A bag that counts how often it is looked into."""

    looks = 0

    def get(self, key: str, default: Any = None) -> Any:
        self.looks += 1
        return super().get(key, default)


@pytest.mark.parametrize("length", [10, 100, 1_000, 10_000])
def test_the_work_grows_with_the_length_of_the_texts_and_not_faster(length: int) -> None:
    # Every pair occurs once, the most that a text of this length can ask for.
    symbols = "".join(map(chr, range(0x4E00, 0x4E00 + length)))
    pairs = pairs_of(symbols)
    assert pairs.total() == len(pairs) == length - 1
    longer = Counting(pairs_of(symbols * 2))
    assert shared(pairs, longer) == shared(longer, pairs) == length - 1
    assert longer.looks == 2 * (length - 1)


def test_a_repeating_text_is_kept_as_few_pairs_however_long() -> None:
    assert dict(pairs_of("ab" * 1_000)) == {"ab": 1_000, "ba": 999}


def slow_likeness(first: str, second: str) -> float:
    """The definition, word for word: each pair of one is struck from those of the other."""
    first, second = "".join(first.split()), "".join(second.split())
    if first == second:
        return 1.0
    if len(first) < 2 or len(second) < 2:
        return 0.0
    left = [second[place : place + 2] for place in range(len(second) - 1)]
    common = 0
    for place in range(len(first) - 1):
        if (pair := first[place : place + 2]) in left:
            left.remove(pair)
            common += 1
    return 2 * common / (len(first) + len(second) - 2)


@LAW
@given(st.text("abc d", max_size=20), st.text("abc d", max_size=20))
def test_the_measure_is_its_definition(first: str, second: str) -> None:
    assert Likeness(first).to(second) == slow_likeness(first, second)


@LAW
@given(texts, texts, st.booleans())
def test_likeness_is_the_same_from_both_sides_and_lies_between_0_and_1(first: str, second: str, ignore: bool) -> None:
    found = alike(first, second, ignore_case=ignore)
    assert 0.0 <= found <= 1.0
    assert found == alike(second, first, ignore_case=ignore)


@LAW
@given(answers)
def test_an_answer_is_wholly_like_itself(answer: list[str]) -> None:
    whole = "\n\n".join(filter(None, answer))
    assert alike(whole, *answer) == 1.0
    assert score(checks.equals(whole), said(*answer)) == 1.0


@LAW
@given(texts, texts, st.floats(0.0, 1.0))
def test_a_threshold_decides_by_the_number_that_stands_without_it(value: str, answer: str, threshold: float) -> None:
    assert alike(value, answer, threshold=threshold) == float(alike(value, answer) >= threshold)
