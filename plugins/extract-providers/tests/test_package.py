"""What the package offers, and what it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import steelyard_extract_providers
from steelyard_extract_providers import openai_chat, tau_bench


def test_public_names_are_deliberate() -> None:
    assert steelyard_extract_providers.__all__ == ["OpenAIChat", "TauBench", "openai_chat", "tau_bench"]


def test_each_extractor_is_an_entry_point_under_the_name_of_its_format() -> None:
    declared = entry_points(group="steelyard.extractors")
    found = {each.name: each.load() for each in declared if each.module == "steelyard_extract_providers"}
    assert found == {"openai-chat": openai_chat, "tau-bench": tau_bench}
    assert openai_chat({"messages": []}).format == "openai-chat"
    assert tau_bench({"task_id": 1, "traj": []}).format == "tau-bench"


def test_no_library_whose_records_are_read_is_needed() -> None:
    code = "import sys, steelyard_extract_providers; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True).stdout.split()
    assert {"openai", "tau_bench", "pydantic", "asyncio", "cattrs", "structlog"} & set(loaded) == set()
    assert {"steelyard", "attr"} <= set(loaded)
