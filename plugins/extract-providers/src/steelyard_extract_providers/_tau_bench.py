"""Results of tau-bench: runs of an agent for customers, each judged by the benchmark itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steelyard import ConfigurationError, Conversation
from steelyard_extract_providers._assembly import conversation
from steelyard_extract_providers._entries import read_entries, read_id
from steelyard_extract_providers._faults import Faults, expected, kind_of

_FORMAT = "tau-bench"


class TauBench:
    """Runs of tau-bench (format ``tau-bench``).

    Calling it reads one run: an object with ``traj``, whose messages are read as those of chat models (format
    ``openai-chat``). The id is the task's and the trial's, as in ``12-1``; all else that the record tells is in
    ``metadata``: ``task_id``, ``trial``, ``reward`` and ``info``, where ``info["task"]["actions"]`` are the calls
    that the benchmark expects. A run that broke has no messages. What cannot be read costs its own place only and is
    told in ``metadata["faults"]``, a list of ``{"place", "reason"}``.
    Raises ``ConfigurationError`` for a record of which nothing can be read.
    """

    def __call__(self, record: object) -> Conversation:
        """The conversation of a run (see the class)."""
        try:
            return _read(record)
        except RecursionError as error:
            raise ConfigurationError(f"{_FORMAT}: the record is nested too deeply to be read.") from error

    def split(self, data: object) -> Iterator[object]:
        """The runs of a file's content, given as its parsed JSON or as the list of its parsed lines."""
        if isinstance(data, list | tuple):
            yield from data
        else:
            yield data

    def recognises(self, record: object) -> bool:
        """Whether a record is of this format, by a look at its outside; never raises."""
        if isinstance(record, list | tuple) and len(record) == 1:
            record = record[0]
        return isinstance(record, Mapping) and isinstance(record.get("traj"), list) and "task_id" in record

    def __repr__(self) -> str:
        return f"<extractor {_FORMAT}>"


tau_bench = TauBench()


def _read(record: object) -> Conversation:
    if isinstance(record, list | tuple):
        if len(record) != 1:
            raise ConfigurationError(
                f"{_FORMAT}: expected one run, found a list of {len(record)}: cut it with split() first."
            )
        record = record[0]
    if not isinstance(record, Mapping):
        raise ConfigurationError(f"{_FORMAT}: expected an object with traj, found {kind_of(record)}.")
    messages = record.get("traj")
    if not isinstance(messages, list | tuple):
        raise ConfigurationError(f"{_FORMAT}: traj: {expected('a list of messages', messages)}.")
    faults = Faults()
    entries = read_entries(messages, "traj", faults)
    return conversation(
        entries,
        faults,
        format=_FORMAT,
        id=_id(record, faults),
        metadata={key: value for key, value in record.items() if isinstance(key, str) and key != "traj"},
    )


def _id(record: Mapping[str, object], faults: Faults) -> str | None:
    """The task and the trial; the task alone for a record without trials."""
    names = [read_id(record, key, "", faults) for key in ("task_id", "trial")]
    return None if names[0] is None else "-".join([name for name in names if name is not None])
