"""A first evaluation: a function as the agent, one gate, one threshold, one verdict."""

import steelyard_checks as checks
from steelyard import EvalItem, Threshold, from_item, run_evals


def agent(question: str) -> str:
    return "You can return it within 60 days." if "return" in question else "We ship to Norway within five days."


result = run_evals(
    data=[
        EvalItem(input="Can I return my tent?", ground_truth="Yes, you can return it within 60 days."),
        EvalItem(input="Do you ship to Norway?", ground_truth="Yes, we ship to Norway within a week."),
    ],
    target=agent,
    gates=[checks.excludes("[internal]")],
    scorers=[Threshold(checks.similarity(from_item("ground_truth")), min=0.7)],
)
print(result.verdict, dict(result.scores))
