"""Extractors for steelyard: recorded conversations of chat models, and runs of tau-bench."""

from steelyard_extract_providers._openai_chat import OpenAIChat, openai_chat
from steelyard_extract_providers._tau_bench import TauBench, tau_bench

__all__ = ["OpenAIChat", "TauBench", "openai_chat", "tau_bench"]
