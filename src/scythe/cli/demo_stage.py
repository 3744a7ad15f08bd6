"""Where the demo is played: what is said and shown comes in, lines of a terminal or of a file go out.

On a terminal what takes long is shown while it happens; anywhere else there are plain lines only, in the same order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from scythe.cli.ending import neutralise

if TYPE_CHECKING:
    from rich.console import RenderableType

    from scythe.crawling.run import Crawl
    from scythe.demo.replay import Replay
    from scythe.demo.steps import Step
    from scythe.watching.run import Watch

INDENT = 3
_LINES = 5  # of a strip, at most: on large sites a mark stands for several pages
_WIDEST = 100
_LOOK_S = 0.2
_LINE_S = 15.0  # between two lines where nobody looks
_MARKS = {"cold": ("·", "dim"), "cut": ("█", "green"), "mixed": ("▓", "yellow"), "tree": ("░", "red")}
_PLAIN = {"cold": ".", "cut": "#", "mixed": "+", "tree": "-"}
_NAMES = {"cold": "read to learn from", "cut": "cut", "mixed": "partly by the tree", "tree": "by the tree"}


class Paper(Console):
    """A console that lets the command end as others do when its reader has left."""

    def on_broken_pipe(self) -> None:
        """Say so, where rich would end the process with the code of a failure."""
        raise BrokenPipeError


class Stage:
    """Numbers the acts and writes what belongs to them."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.is_live = console.is_terminal and not console.is_dumb_terminal
        self.width = max(min(console.width, _WIDEST) - INDENT, 20)
        self.is_plain = console.options.ascii_only
        self._act = 0

    def begin(self, title: str, said: str = "") -> None:
        """Begin an act."""
        self._act += 1
        self.console.print()
        self.console.print(Text(f"{self._act}. {title}", "bold"))
        if said:
            self.say(said)

    def say(self, said: str | Text, style: str = "") -> None:
        """Write a sentence or two, indented."""
        text = said if isinstance(said, Text) else Text(neutralise(said), style)
        for line in text.wrap(self.console, self.width):
            self._write(line)

    def show(self, what: RenderableType) -> None:
        """Write a table or the like, indented, without blanks at the ends of lines."""
        for line in self.console.render_lines(what, self.console.options.update(width=self.width), pad=False):
            self._write(Text.assemble(*((segment.text, segment.style or "") for segment in line)))

    def say_short(self, line: str, style: str = "") -> None:
        """Write one line that is shortened rather than broken."""
        text = Text(neutralise(line), style)
        text.truncate(self.width, overflow="ellipsis" if not self.is_plain else "crop")
        self._write(text)

    def _write(self, line: Text) -> None:
        whole = Text(" " * INDENT).append_text(line)
        whole.rstrip()
        self.console.print(whole, soft_wrap=True, highlight=False)

    def busy(self, said: str) -> AbstractContextManager[object]:
        """Say what is being done for as long as the block takes, where somebody looks."""
        return self.console.status(neutralise(said)) if self.is_live else nullcontext()

    def legend(self, *, with_redesign: bool = False) -> Text:
        """Say what the marks of a strip mean."""
        legend = Text()
        for name, what in _NAMES.items():
            legend.append_text(self._mark(name)).append(f" {what}  ", "dim")
        if with_redesign:
            legend.append_text(self._bound()).append(" redesign", "dim")
        return legend

    def strip(self, steps: Sequence[Step]) -> Text:
        """Draw a mark for each page, or on large sites for some of them together, as most of these were got."""
        each = max(1, -(-len(steps) // (_LINES * self.width)))
        strip, design = Text(), 0
        for at in range(0, len(steps), each):
            some = steps[at : at + each]
            if some[0].design > design:
                strip.append_text(self._bound())
            design = some[0].design
            hows = [step.how for step in some]
            strip.append_text(self._mark(max(_MARKS, key=hows.count)))
        return strip

    def _bound(self) -> Text:
        return Text("|" if self.is_plain else "│", "bold magenta")

    def _mark(self, name: str) -> Text:
        mark, style = _MARKS[name]
        return Text(_PLAIN[name] if self.is_plain else mark, style)

    def follow(
        self, steps: Callable[[], Sequence[Step]], status: Callable[[Crawl], str]
    ) -> Callable[[Crawl], Awaitable[None]]:
        """Return what shows a crawl until cancelled: a strip that grows with a line below, or a line now and then."""

        async def watch(run: Crawl) -> None:
            await (self._follow_live(run, steps, status) if self.is_live else self._follow_lines(run, status))

        return watch

    async def _follow_live(
        self, run: Crawl, steps: Callable[[], Sequence[Step]], status: Callable[[Crawl], str]
    ) -> None:
        with Live(console=self.console, transient=True, auto_refresh=False) as live:
            while True:
                lines = [Text(" " * INDENT).append_text(line) for line in self._wrapped(self.strip(steps()))]
                below = Text(" " * INDENT + neutralise(status(run)), "dim", no_wrap=True, overflow="ellipsis")
                live.update(Group(*lines, below), refresh=True)
                await asyncio.sleep(_LOOK_S)

    async def _follow_lines(self, run: Crawl, status: Callable[[Crawl], str]) -> None:
        said = ""
        while True:
            await asyncio.sleep(_LINE_S)
            if (now := status(run)) != said:
                said = now
                self.say_short(said)

    def _wrapped(self, strip: Text) -> list[Text]:
        return [*strip.wrap(self.console, self.width)] if strip else []

    def follow_list(self, status: Callable[[Watch, Replay], str]) -> Callable[[Watch, Replay], asyncio.Future[None]]:
        """Return what begins to show a watch: on a terminal a line that says what time it is and what comes."""

        async def show(watch: Watch, replay: Replay) -> None:
            with Live(console=self.console, transient=True, auto_refresh=False) as live:
                while True:
                    line = Text(" " * INDENT + neutralise(status(watch, replay)), "dim", no_wrap=True)
                    live.update(line, refresh=True)
                    await asyncio.sleep(_LOOK_S / 2)

        async def nothing() -> None:
            return

        return lambda watch, replay: asyncio.ensure_future(show(watch, replay) if self.is_live else nothing())
