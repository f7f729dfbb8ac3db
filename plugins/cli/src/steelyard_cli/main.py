"""The command ``steelyard``: its commands, and what becomes of errors. Nothing is imported here that ``--help`` can do
without."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from errno import ENAMETOOLONG
from importlib import import_module
from typing import Any

import click

from steelyard_cli.exit_codes import ExitCode

OWN: Mapping[str, str] = {
    "run": "Run an evaluation and tell what came out.",
    "check": "Find what is wrong with an evaluation, without running it.",
    "schema": "Print the JSON schema of evaluation files, for editors.",
    "scorers": "List what can be measured, or tell all about one scorer.",
    "plugins": "List what is installed beside the core.",
}
"""Our own commands and what they do; each is a module of ``commands``, imported when it is used."""

_GROUP = "steelyard.commands"


class Session:
    """What commands and the handling of errors share: how to keep secrets out of what is shown, and whether to show
    where errors come from."""

    def __init__(self) -> None:
        self.hide: Callable[[str], str] = str
        self.debug = False


class Commands(click.Group):
    """Our own commands, and those of other packages (entry points of the group ``steelyard.commands``: a click command
    each)."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*OWN, *(name for name in _commands_of_others() if name not in OWN)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in OWN:
            command: click.Command = import_module(f"steelyard_cli.commands.{cmd_name}").command
            return command
        from steelyard import BrokenPlugin, Registry

        registry = Registry()
        if cmd_name not in registry.names("commands"):
            return None
        loaded = registry.load("commands", cmd_name)
        if not isinstance(loaded, click.Command):
            raise BrokenPlugin(
                registry.find("commands", cmd_name), f"it is no click command, but of type {type(loaded).__name__}"
            )
        return loaded

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in OWN and not name.startswith("-") and name not in self.list_commands(ctx):
            from difflib import get_close_matches

            near = get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" There are {', '.join(self.list_commands(ctx))}."
            if name.lower().endswith((".toml", ".yaml", ".yml")):
                hint = f" Did you mean: steelyard run {name}?"
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(OWN.items()))
        others = {name: origin for name, origin in _commands_of_others().items() if name not in OWN}
        if others:
            with formatter.section("Commands of other packages"):
                formatter.write_dl(list(others.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; a reader of its output that goes away is no failure of it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            from steelyard_cli.broken_pipe import mute_stdout

            mute_stdout()
            return ExitCode.PASSED

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits with one of the ``ExitCode``s."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")  # a terminal that lacks a character must not end a run
        session = extra.setdefault("obj", Session())
        try:
            given = super().main(args, prog_name or "steelyard", complete_var, standalone_mode=False, **extra)
            code = given if isinstance(given, int) else ExitCode.PASSED
        except (click.Abort, KeyboardInterrupt):
            _say(session, "Interrupted.")
            code = ExitCode.INTERRUPTED
        except click.ClickException as error:
            error.show()
            code = ExitCode.REFUSED
        except (Exception, GeneratorExit) as error:  # the code of a traceback is 1, which means a failed verdict
            code = _ended_by(error, session)
        sys.exit(int(code))


def _ended_by(error: BaseException, session: Session) -> ExitCode:
    from steelyard import ConfigurationError, SteelyardError

    if session.debug:
        import traceback

        _say(session, "".join(traceback.format_exception(error)).rstrip(), whole=True)
    if isinstance(error, ConfigurationError):
        _say(session, f"Error: {error}")
        return ExitCode.REFUSED
    if isinstance(error, OSError) and error.errno == ENAMETOOLONG:
        _say(session, f"Error: {error.filename!s:.60}...: the name is too long for a file.")
        return ExitCode.REFUSED
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if isinstance(error, OSError) and frame is not None and frame.tb_frame.f_globals.get("__name__") == "click.utils":
        from steelyard_cli.broken_pipe import mute_stdout, why_not_written

        mute_stdout()
        _say(session, f"Error: {why_not_written(error)}.")
        return ExitCode.INTERNAL
    where = "" if frame is None else f" ({frame.tb_frame.f_globals.get('__name__')}, line {frame.tb_lineno})"
    kind = "Error" if isinstance(error, SteelyardError) else "Internal error"
    hint = (
        "" if session.debug else " Run steelyard --debug ... to see all of it; it may hold what should not be shared."
    )
    _say(session, f"{kind}: {type(error).__name__}{where}.{hint}")
    return ExitCode.INTERNAL


def _say(session: Session, text: str, *, whole: bool = False) -> None:
    """Writes to standard error; nothing hidden is shown, and no control character gets to the terminal."""
    from steelyard_cli._file.places import without_folder
    from steelyard_cli._report import visible

    text = session.hide(text if whole else without_folder(text))
    show = _printable if whole else visible
    lines = [f"{line[: len(line) - len(line.lstrip())]}{show(line.lstrip())}" for line in text.split("\n")]
    click.echo("\n".join(lines), err=True)


def _printable(line: str) -> str:
    """A line as it is, but for control characters."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in line)


def _commands_of_others() -> dict[str, str]:
    """The commands that installed packages declare, with what the list says of them. Imports none of them."""
    if not _declared_somewhere():
        return {}
    from steelyard import Registry

    said: dict[str, str] = {}
    for record in Registry().listing("commands"):
        origin = record.origin
        said[record.name] = f"(cannot be used: {record.reason})" if record.state == "clash" else f"({origin})"
    return said


def _declared_somewhere() -> bool:
    """Whether any package may declare a command. Reading the files is ten times as fast as loading what reads them
    properly."""
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as entries:
                for entry in entries:
                    if entry.name.endswith((".dist-info", ".egg-info")) and _declares(entry.path):
                        return True
        except OSError:
            continue
    return False


def _declares(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            return _GROUP.encode() in file.read()
    except OSError:
        return False


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"steelyard {version('steelyard-cli')}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show where an error comes from.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Evaluate agents and pipelines: run a target over data, score what comes out, and turn gates and thresholds into
    one verdict."""
    session = ctx.ensure_object(Session)
    session.debug = debug
