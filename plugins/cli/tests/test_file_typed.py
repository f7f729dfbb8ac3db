"""KEY=VALUE of the command line: the first equals sign splits, and the value has the type that JSON gives it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import ConfigurationError
from steelyard_cli._file.typed import key_value


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("model=path=with=equals", "model", "path=with=equals"),
        ("a=-1", "a", -1),
        ("a=None", "a", "None"),
        ("a=1e-3", "a", 0.001),
        ('a="123"', "a", "123"),
        ("a=123", "a", 123),
        ("a=true", "a", True),
        ("a=null", "a", None),
        ("a=", "a", ""),
        ("a= 1 ", "a", 1),
        ("a=007", "a", "007"),
        ("a=NaN", "a", "NaN"),
        ("a=Infinity", "a", "Infinity"),
        ('a=[1, {"b": 2}]', "a", [1, {"b": 2}]),
        (" a =x", "a", "x"),
        ("a=" + "[" * 100_000, "a", "[" * 100_000),
    ],
)
def test_the_first_equals_sign_splits_and_values_have_types(text: str, key: str, value: object) -> None:
    assert key_value(text) == (key, value)


@pytest.mark.parametrize("text", ["", "a", "=1", " =1"])
def test_without_a_key_there_is_no_option(text: str) -> None:
    with pytest.raises(ConfigurationError, match="KEY=VALUE"):
        key_value(text)


@given(
    st.text(), st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
def test_whatever_json_writes_comes_back(key: str, value: object) -> None:
    if key.strip() and "=" not in key:
        assert key_value(f"{key}={json.dumps(value)}") == (key.strip(), value)
