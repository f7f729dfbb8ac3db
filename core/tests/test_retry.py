"""Whether and when a failed request to a judge is sent again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from steelyard import ConfigurationError, JudgeError, JudgeSettings, RetryProcessor

TEMPORARY = JudgeError("busy", retryable=True)
FINAL = JudgeError("bad key", retryable=False)
UNKNOWN = ValueError("who knows")


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def test_what_calls_itself_retryable_is_sent_again_and_nothing_else() -> None:
    processor = RetryProcessor(delay=1.0)
    assert processor.delay(TEMPORARY, 0) == 1.0
    assert processor.delay(FINAL, 0) is None
    assert processor.delay(UNKNOWN, 0) is None


def test_the_budget_bounds_the_retries() -> None:
    processor = RetryProcessor(max_retries=2, delay=0.0)
    assert [processor.delay(TEMPORARY, retries) for retries in range(4)] == [0.0, 0.0, None, None]
    assert RetryProcessor(max_retries=0).delay(TEMPORARY, 0) is None
    assert RetryProcessor().max_retries == 1


def test_the_word_of_a_cause_counts_where_the_error_says_nothing() -> None:
    processor = RetryProcessor(delay=0.0)
    assert processor.delay(caused(ValueError(), TEMPORARY), 0) == 0.0
    assert processor.delay(caused(ValueError(), FINAL), 0) is None
    assert processor.delay(caused(JudgeError("x", retryable=False), TEMPORARY), 0) is None


def test_errors_that_cause_each_other_in_a_circle_end() -> None:
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert RetryProcessor().delay(first, 0) is None


def test_a_matcher_names_errors_and_their_causes() -> None:
    processor = RetryProcessor(delay=0.0, matchers=[lambda error: isinstance(error, KeyError)])
    assert processor.delay(KeyError(), 0) == 0.0
    assert processor.delay(caused(ValueError(), KeyError()), 0) == 0.0
    assert processor.delay(UNKNOWN, 0) is None


def test_unknown_errors_are_retried_only_when_that_is_asked_for() -> None:
    processor = RetryProcessor(delay=0.0, retry_unknown_errors=True)
    assert processor.delay(UNKNOWN, 0) == 0.0
    assert processor.delay(FINAL, 0) is None


def test_the_wait_is_a_number_or_a_function_of_the_retries_so_far() -> None:
    assert RetryProcessor(delay=3).delay(TEMPORARY, 0) == 3.0
    growing = RetryProcessor(max_retries=3, delay=lambda retries: 2.0**retries)
    assert [growing.delay(TEMPORARY, retries) for retries in range(3)] == [1.0, 2.0, 4.0]


def test_the_wait_is_the_longer_of_ours_and_the_servers() -> None:
    asked = JudgeError("busy", retryable=True, retry_after=5.0)
    assert RetryProcessor(delay=1.0).delay(asked, 0) == 5.0
    assert RetryProcessor(delay=9.0).delay(asked, 0) == 9.0
    assert RetryProcessor(delay=1.0).delay(caused(JudgeError("x", retryable=True), asked), 0) == 5.0


def test_what_the_server_asks_for_is_capped() -> None:
    asked = JudgeError("busy", retryable=True, retry_after=3600.0)
    assert RetryProcessor(delay=0.0).delay(asked, 0) == 30.0
    assert RetryProcessor(delay=0.0, max_retry_after=2).delay(asked, 0) == 2.0


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("Wed, 01 Jan 2025 00:00:10 GMT", 10.0),
        ("Wed, 01 Jan 2025 00:00:10", 10.0),
        ("Tue, 31 Dec 2024 00:00:00 GMT", 0.0),
        ("soon", 0.0),
        ("", 0.0),
        ("-3", 0.0),
        ("nan", 0.0),
        ("inf", 30.0),
        (float("nan"), 0.0),
        (-1, 0.0),
        (True, 0.0),
        (None, 0.0),
    ],
)
def test_the_server_may_ask_in_seconds_or_with_a_date(asked: Any, seconds: float) -> None:
    error = JudgeError("busy", retryable=True, retry_after=asked)
    processor = RetryProcessor(delay=0.0, now=lambda: datetime(2025, 1, 1, tzinfo=UTC))
    assert processor.delay(error, 0) == seconds


@pytest.mark.parametrize(
    "given",
    [
        {"max_retries": -1},
        {"max_retries": 1.5},
        {"max_retries": True},
        {"delay": -1},
        {"delay": float("nan")},
        {"delay": float("inf")},
        {"delay": "1"},
        {"delay": None},
        {"max_retry_after": -1},
        {"max_retry_after": float("nan")},
        {"matchers": [KeyError("a")]},
    ],
)
def test_a_processor_that_means_nothing_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(given))):
        RetryProcessor(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"error_processors": [lambda error: 1.0]},
        {"error_processors": RetryProcessor()},
        {"input_processors": lambda request: request},
        {"input_processors": ["redact"]},
        {"output_processors": "redact"},
        {"max_processor_retries": -1},
        {"max_processor_retries": 1.5},
        {"structured_output": "json"},
        {"instructions": 3},
    ],
)
def test_settings_that_mean_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(given))):
        JudgeSettings(**given)
