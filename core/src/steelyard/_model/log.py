"""The one logger: events with keys, to the standard logger ``steelyard``."""

from __future__ import annotations

from typing import Any


def logger() -> Any:
    """A structlog wrapper around the standard logger ``steelyard``, which stays silent unless the host program
    configures logging.

    Wrapped by hand rather than through structlog's own configuration, which belongs to the host program and prints to
    stdout by default.
    """
    import logging

    import structlog

    standard = logging.getLogger("steelyard")
    if not standard.handlers:
        standard.addHandler(logging.NullHandler())
    return structlog.wrap_logger(
        standard,
        processors=[structlog.stdlib.filter_by_level, _told],
        wrapper_class=structlog.stdlib.BoundLogger,
        context_class=dict,
        cache_logger_on_first_use=False,
    )


def _told(_: object, __: str, event: Any) -> dict[str, Any]:
    """The event with its keys, readable where only the message is shown, and apart where a handler
    looks at ``extra``."""
    name = event.pop("event")
    shown = " ".join([name, *(f"{key}={value!r}" for key, value in event.items())])
    return {"msg": shown, "extra": {"event": name, **event}}
