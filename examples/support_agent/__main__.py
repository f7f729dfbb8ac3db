"""Evaluates a support agent: recorded conversations first, then the live agent.

Run it with ``python examples/support_agent``. It ends with exit code 0 when each evaluation comes to the verdict that
is expected of it, and with 1 otherwise.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

from agent import SupportAgent
from house_rules import answered, failures_made_good, refund_after_lookup, stars, tool_calls
from report import report

import steelyard_checks as checks
from steelyard import EvalItem, EvalResult, PassRate, Threshold, Turn, Verdict, from_item, run_evals

CONVERSATIONS = Path(__file__).with_name("conversations.jsonl")

# What must hold in every conversation, recorded or live.
GATES = [
    answered,
    refund_after_lookup,
    failures_made_good,
    checks.did_not_call("delete_account"),
    checks.excludes("[internal]"),
]

# What is asked of those items that bring the value: words that the answer must hold, and a reply to compare it with.
SAYS_WHAT_IT_MUST = checks.includes(from_item("metadata.must_say"))
LIKE_THE_REPLY = checks.similarity(from_item("ground_truth.reply"))


def read_conversations() -> list[dict[str, Any]]:
    """The recorded conversations as they stand in the file, one JSON object a line."""
    with CONVERSATIONS.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def recorded() -> EvalResult:
    """Conversations that took place: there is no target, each item brings its output."""
    items = []
    for conversation in read_conversations():
        del conversation["expected_status"]  # for the tests of this example; the evaluation has to find it out
        if "must_say" in conversation["metadata"]:
            conversation["gates"] = [SAYS_WHAT_IT_MUST]
        if "ground_truth" in conversation:
            conversation["scorers"] = [Threshold(LIKE_THE_REPLY, min=0.7)]
        items.append(EvalItem(**conversation))
    return run_evals(
        data=items,
        gates=GATES,
        scorers=[
            Threshold(checks.no_tool_errors(), min=0.7),
            Threshold(tool_calls, max=2),
            PassRate(stars, share=0.75, pass_at=3),
        ],
        group_by=["metadata.lang"],
    )


def live_single_turn() -> EvalResult:
    """One question each to the live agent."""
    questions = [
        ("Where is my order FF-1001?", "12 March"),
        ("When will FF-1004 arrive?", "14 March"),  # the carrier does not answer at the first try
        ("I sent FF-1003 back. When do I get my money back?", "£149.00"),
        ("Please refund FF-1002.", "once it is back with us"),
        ("I would like to return my boots, order FF-1002.", "R-1002"),
        ("Is CAIRN-MID-43 in stock?", "sold out"),
        ("Is TARN-2 in stock?", ["6 of TARN-2", "six tents"]),
        ("Can I talk to a human?", "H-1"),
    ]
    return run_evals(
        data=[EvalItem(input=question, metadata={"must_say": must_say}) for question, must_say in questions],
        target=SupportAgent(),
        gates=[*GATES, SAYS_WHAT_IT_MUST],
        scorers=[Threshold(checks.did_not_call("hand_over_to_human"), min=0.9), checks.max_tool_calls(3)],
    )


def live_conversations() -> EvalResult:
    """Several turns on one thread, which the agent has to remember."""
    return run_evals(
        data=[
            # Judged as a whole.
            EvalItem(
                id="order-number-with-a-typo",
                inputs=["Where is my parcel?", "It is FF-9999.", "Sorry, FF-1001."],
                gates=[
                    checks.tool_order(["lookup_order", "lookup_order", "track_parcel"]),
                    checks.includes("12 March"),
                ],
            ),
            # Judged turn by turn: what must hold for one answer need not hold for the next.
            EvalItem(
                id="return-after-small-talk",
                turns=[
                    Turn(input="Good morning!", gates=[checks.used_no_tools()]),
                    Turn(input="Can I return it?", gates=[checks.includes("order number"), checks.used_no_tools()]),
                    Turn(input="FF-1002", gates=[checks.called_tool("start_return"), checks.includes("R-1002")]),
                ],
            ),
            EvalItem(
                id="refund-then-stock",
                turns=[
                    Turn(
                        input="I sent FF-1003 back and would like my refund.",
                        gates=[checks.tool_order(["lookup_order", "issue_refund"])],
                    ),
                    Turn(input="Is TOR-M-BLUE in stock?", gates=[checks.did_not_call("issue_refund")]),
                ],
            ),
        ],
        target=SupportAgent(),
        gates=GATES,
    )


EVALUATIONS = [
    ("Recorded conversations", recorded, Verdict.FAILED, "some of the recordings hold faults on purpose"),
    ("Live agent, single questions", live_single_turn, Verdict.SCORED, "one question in eight asks for a person"),
    ("Live agent, conversations", live_conversations, Verdict.PASSED, "it remembers what was said"),
]


def main() -> int:
    """Runs the evaluations, prints a report of each, and gives the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks a character shows "?" for it
    verdicts: list[str] = []
    surprises: list[str] = []
    for number, (title, evaluate, expected, because) in enumerate(EVALUATIONS, start=1):
        result = evaluate()
        print("\n".join(report(f"{number}. {title}", result)))
        verdicts.append(str(result.verdict))
        if result.verdict is expected:
            print(f"  As expected: {because}.\n")
        else:
            print(f"  NOT as expected: it should be {expected}, since {because}.\n")
            surprises.append(title)
    outcome = f"NOT as expected in: {', '.join(surprises)}" if surprises else "each as expected"
    print(f"Overall: the verdicts are {', '.join(verdicts)}; {outcome}.")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
