"""Quick checks for steelyard: what an answer says and which tools were called, decided without a model.

Each factory gives a scorer whose score is 1.0 or 0.0 (``similarity`` without a threshold: anything between), with a
reason that says what was found. Every argument may also be ``from_item("ground_truth")`` or the like. ``not_`` gives
the opposite of any scorer.
"""

from steelyard_checks._called_with import tool_called_with
from steelyard_checks._containing import contains_all, contains_any
from steelyard_checks._edges import ends_with, starts_with
from steelyard_checks._effort import cost_under, latency_under, max_turns
from steelyard_checks._json import is_json, json_path_equals
from steelyard_checks._lengths import max_length, min_length
from steelyard_checks._negation import not_
from steelyard_checks._patterns import matches
from steelyard_checks._refusal import refused
from steelyard_checks._similarity import similarity
from steelyard_checks._text import equals, excludes, includes
from steelyard_checks._tools import called_tool, did_not_call, max_tool_calls, no_tool_errors, tool_order, used_no_tools

__all__ = [
    "called_tool",
    "contains_all",
    "contains_any",
    "cost_under",
    "did_not_call",
    "ends_with",
    "equals",
    "excludes",
    "includes",
    "is_json",
    "json_path_equals",
    "latency_under",
    "matches",
    "max_length",
    "max_tool_calls",
    "max_turns",
    "min_length",
    "no_tool_errors",
    "not_",
    "refused",
    "similarity",
    "starts_with",
    "tool_called_with",
    "tool_order",
    "used_no_tools",
]
