"""One report of an evaluation, and all that shows it: the terminal, the live view, and the files.

How a run uses it, in order:

    hide = Hide(values)  # what no output may show: the values of the environment variables that the file names
    account = ItemAccount(hide=hide)  # bounded memory: counts, the worst items, the rules of gates
    live = LiveView.on(sys.stderr, planned=None, quiet=False)
    jsonl = JsonlWriter(path, hide=hide)  # opens its file with the first item
    feed = Feed(account, live, jsonl)  # whoever raises gets no more items: feed.errors
    with live:
        result = run_evals(..., on_item_complete=feed, keep_items=needs_items(json=..., junit=..., csv=...))
    report = Report.of(result, name="...", account=account, stopped=None, planned=None, skipped=0, hide=hide)
    jsonl.finish(report)
    print_report(report, sys.stdout)
    write_json(report, result, path)
    write_junit(report, result, path)
    write_csv(report, result, path)
    write_markdown(report, path)

Of the environment only what tells of the terminal is read (``NO_COLOR``, ``TERM``, ``COLUMNS``), nothing is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard_cli._report.account import ItemAccount
    from steelyard_cli._report.csv_form import write_csv
    from steelyard_cli._report.feed import Feed, needs_items
    from steelyard_cli._report.json_form import report_to_json, write_json
    from steelyard_cli._report.jsonl_form import JsonlWriter
    from steelyard_cli._report.junit import write_junit
    from steelyard_cli._report.live import LiveView
    from steelyard_cli._report.markdown import markdown_text, write_markdown
    from steelyard_cli._report.model import Report, Row, RowStatus
    from steelyard_cli._report.terminal import print_report
    from steelyard_cli._report.text import Hide, visible

_HOMES = {
    "account": "ItemAccount",
    "csv_form": "write_csv",
    "feed": "Feed needs_items",
    "json_form": "report_to_json write_json",
    "jsonl_form": "JsonlWriter",
    "junit": "write_junit",
    "live": "LiveView",
    "markdown": "markdown_text write_markdown",
    "model": "Report Row RowStatus",
    "terminal": "print_report",
    "text": "Hide visible",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Feed",
    "Hide",
    "ItemAccount",
    "JsonlWriter",
    "LiveView",
    "Report",
    "Row",
    "RowStatus",
    "markdown_text",
    "needs_items",
    "print_report",
    "report_to_json",
    "visible",
    "write_csv",
    "write_json",
    "write_junit",
    "write_markdown",
]


def __getattr__(name: str) -> Any:
    """Loads a name when it is first used: a command that shows no report must not pay for one."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
