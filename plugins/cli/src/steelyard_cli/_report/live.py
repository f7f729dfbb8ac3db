"""How far a run is, while it runs: one line that changes on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from steelyard import ItemResult
from steelyard_cli._report.account import KINDS, Kind, kind_of
from steelyard_cli._report.measures import measures_of
from steelyard_cli._report.numbers import span

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

EVERY = 5.0
STYLES = {"scored": "green", "not scorable": "yellow", "failed": "bold red"}


class LiveView:
    """Counts items as they complete and shows how far the run is, from ``with`` on. Make it with ``LiveView.on``.

    An item is ``failed`` if something of it could not be computed, ``scored`` if something has a number, else ``not
    scorable``: what the report counts at the end.
    """

    def __init__(self, show: Show | None, *, planned: int | None, clock: Callable[[], float]) -> None:
        self._show = show
        self._planned = planned
        self._clock = clock
        self._started = clock()
        self.kinds: Counter[Kind] = Counter()

    @classmethod
    def on(
        cls,
        stream: TextIO,
        *,
        planned: int | None = None,
        quiet: bool = False,
        clock: Callable[[], float] = monotonic,
        every: float = EVERY,
        environment: Mapping[str, str] | None = None,
    ) -> LiveView:
        """A view on a stream, standard error as a rule. ``quiet`` shows nothing.

        On a terminal a line is drawn anew; elsewhere (a pipe, ``TERM=dumb``) a line is written at most every ``every``
        seconds. ``planned`` is how many items there will be, None if nobody knows.
        """
        if quiet:
            return cls(None, planned=planned, clock=clock)
        import os

        from steelyard_cli._report.terminal import can_draw, console_on

        if can_draw(stream, os.environ if environment is None else environment):
            return cls(Drawn(console_on(stream, environment=environment)), planned=planned, clock=clock)
        return cls(PlainLines(stream, every=every, clock=clock), planned=planned, clock=clock)

    def __enter__(self) -> Self:
        self._started = self._clock()
        if self._show is not None:
            self._show.start(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._show is not None:
            self._show.stop(self)

    def item_completed(self, item: ItemResult) -> None:
        """Counts an item."""
        self.kinds[kind_of(item, list(measures_of(item)))] += 1
        if self._show is not None:
            self._show.moved(self)

    @property
    def pieces(self) -> list[tuple[str, str]]:
        """What the line says, piece by piece, each with its style."""
        done = self.kinds.total()
        of = "" if self._planned is None else f"/{self._planned:,}"
        words = [(f"{done:,}{of} {'items' if of or done != 1 else 'item'}", "bold")]
        words += [(f"{self.kinds[kind]:,} {kind}", STYLES[kind] if self.kinds[kind] else "") for kind in KINDS]
        took = self._clock() - self._started
        if done and took > 0:
            rate = done / took
            words.append((f"{rate:,.1f}/s" if rate >= 1 else f"{60 * rate:,.1f}/min", ""))
            if self._planned is not None and self._planned > done:
                words.append((f"{span((self._planned - done) / rate)} left", ""))
        return words


class Show:
    """A way to show a view; this one shows nothing."""

    def start(self, view: LiveView) -> None:
        """The run begins."""

    def moved(self, view: LiveView) -> None:
        """An item is complete."""

    def stop(self, view: LiveView) -> None:
        """The run is over."""


class PlainLines(Show):
    """A line now and then, and one at the end of a run that had any."""

    def __init__(self, stream: TextIO, *, every: float, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._every = every
        self._clock = clock
        self._last = 0.0
        self._told: str | None = None

    def start(self, view: LiveView) -> None:
        """The first line comes after a while: a run that is over by then needs none."""
        self._last = self._clock()

    def moved(self, view: LiveView) -> None:
        """Writes a line if the last one is old enough."""
        now = self._clock()
        if now - self._last >= self._every:
            self._last = now
            self._tell(view)

    def stop(self, view: LiveView) -> None:
        """Writes the last line."""
        if self._told is not None:
            self._tell(view)

    def _tell(self, view: LiveView) -> None:
        line = ", ".join(text for text, _ in view.pieces)
        if line != self._told:
            self._told = line
            self._stream.write(line + "\n")
            self._stream.flush()


class Drawn(Show):
    """A line, or two where it is narrow, drawn anew and gone at the end; what the target prints stands above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def start(self, view: LiveView) -> None:
        """Draws the line, from here on four times a second: time passes also while no item completes."""
        import sys

        from rich.live import Live

        from steelyard_cli._report.terminal import is_terminal

        self._live = Live(
            console=self._console,
            get_renderable=lambda: self._lines(view),
            refresh_per_second=4,
            transient=True,
            redirect_stdout=is_terminal(sys.stdout),  # a pipe must get what the target prints
            redirect_stderr=is_terminal(sys.stderr),
        )
        self._live.start(refresh=True)

    def moved(self, view: LiveView) -> None:
        """Nothing: the line is drawn by time."""

    def stop(self, view: LiveView) -> None:
        """Takes the line away."""
        if self._live is not None:
            self._live.stop()

    def _lines(self, view: LiveView) -> Text:
        from rich.text import Text

        from steelyard_cli._report.grid import flowing

        pieces = [Text(text, style=style) for text, style in view.pieces]
        return Text("\n").join(flowing(pieces, self._console.width))
