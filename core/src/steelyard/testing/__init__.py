"""What tests of scorers, judges and evaluations need: a judge that follows a script."""

from steelyard._model.conversation import agent_input, agent_output, assistant_message, remembered, user_message
from steelyard.testing._judge import Reply, ScriptedJudge

__all__ = [
    "Reply",
    "ScriptedJudge",
    "agent_input",
    "agent_output",
    "assistant_message",
    "remembered",
    "user_message",
]
