"""The eleven quick checks score as the original did, and better where it is wrong."""

from __future__ import annotations

from tests.golden_adapter import CHECKS, Observed, observe
from tests.golden_agreement import differences
from tests.golden_deviations import Row, Table
from tests.reference import Case, deviations, each, golden, needs_reference

TABLE = Table(
    # -- text
    Row(
        "unicode",
        """
        includes-040 includes-041 includes-042 excludes-040 excludes-042 equals-033 equals-034
        matches-073 similarity-044
        """,
    ),
    Row("casefold", "includes-043 includes-044 excludes-043 excludes-044 excludes-045 equals-036"),
    Row("empty", "includes-046 includes-047 excludes-046 excludes-047"),
    Row(
        "cross-message-hit",
        """
        includes-050 includes-051 excludes-050 excludes-051 equals-039 matches-075
        """,
    ),
    Row("last-text-segment-only", "includes-059 excludes-059 matches-080 similarity-071"),
    Row(
        "last-text-segment-only",
        "equals-048",
        {"score": 0},
        why="the agent said more than the wanted text: what it says before a tool call is part of its answer",
    ),
    Row("exact-alternation", "matches-052 matches-053"),
    Row("exact-multiline", "matches-058 matches-059"),
    Row("utf16", "matches-060 matches-062 similarity-038 similarity-040 similarity-042 similarity-043"),
    Row(
        "regex-dialect",
        "matches-065 matches-071 matches-074",
        {"score": 1},
        why="patterns are read as Python reads them: Unicode classes, and $ also before a final line break",
    ),
    Row(
        "regex-dialect",
        "matches-070",
        {"score": 0},
        why="patterns are read as Python reads them: a byte order mark is no white space",
    ),
    Row("stateful-regex", "matches-083 matches-084"),
    Row(
        "js-whitespace",
        "similarity-047",
        {"score": 0, "raw_similarity": 0},
        why="white space is what Python takes for it, and a byte order mark is none",
    ),
    # -- tools
    Row(
        "zero-minimum",
        """
        called_tool-011 called_tool-025 called_tool-037 called_tool-044 called_tool-051 called_tool-065
        called_tool-079 called_tool-092
        """,
    ),
    Row(
        "double-count-across-messages",
        """
        called_tool-066 did_not_call-066 did_not_call-067 tool_order-066 tool_order-067
        max_tool_calls-066 used_no_tools-040 no_tool_errors-040
        """,
    ),
    Row(
        "double-count-in-message",
        """
        called_tool-068 did_not_call-068 did_not_call-069 tool_order-068 max_tool_calls-068
        max_tool_calls-069 used_no_tools-041 no_tool_errors-041
        """,
    ),
    Row(
        "role-ignored",
        """
        called_tool-070 did_not_call-070 tool_order-070 max_tool_calls-070 used_no_tools-042
        no_tool_errors-042
        """,
    ),
    Row("unfinished-call-ignored", "used_no_tools-038 no_tool_errors-038"),
    Row(
        "truthiness",
        "no_tool_errors-034",
        {"score": 1, "error_count": 0, "total_calls": 1},
        why="an empty error says that there was none, be it an empty text, list or mapping",
    ),
)


def with_counts(case: Case, found: Observed) -> Observed:
    """What was found, with the counts that the cases record beside the score."""
    tools = found.get("actual_tools", [])
    named = [tool for tool in tools if tool == case["params"].get("tool", tool)]
    return found | {
        "actual_count": len(named),
        "total_calls": len(tools),
        "error_count": len(found.get("failed_tools", [])),
    }


@each([case for name in CHECKS for case in golden(name)])
def test_a_check_gives_the_golden_score(case: Case) -> None:
    assert differences(case["expected"], with_counts(case, observe(case))) == []


@each([case for name in CHECKS for case in deviations(name)])
def test_a_check_scores_better_where_the_original_is_wrong(case: Case) -> None:
    assert TABLE.shortfall(case, with_counts(case, observe(case))) == []


@needs_reference
def test_every_deviation_of_a_check_has_a_row_and_every_row_a_deviation() -> None:
    assert TABLE.gaps(list(CHECKS)) == set()
