"""Quick checks for steelyard: what an answer says and which tools were called, decided without a model.

Each factory gives a scorer of agents whose score is 1.0 or 0.0 (``similarity`` without a threshold: anything
between), with a reason that says what was found. Every argument may also be ``from_item("ground_truth")`` or the
like.
"""

from steelyard_checks._patterns import matches
from steelyard_checks._similarity import similarity
from steelyard_checks._text import equals, excludes, includes
from steelyard_checks._tools import called_tool, did_not_call, max_tool_calls, no_tool_errors, tool_order, used_no_tools

__all__ = [
    "called_tool",
    "did_not_call",
    "equals",
    "excludes",
    "includes",
    "matches",
    "max_tool_calls",
    "no_tool_errors",
    "similarity",
    "tool_order",
    "used_no_tools",
]
