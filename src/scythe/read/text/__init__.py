"""Name the text methods: a name comes in, a callable `read(page, options) -> Reading` goes out, imported on demand.

Other packages add methods through the entry point group `scythe.text_methods`; `check_text_method` tells their authors
whether a method keeps the promises that the rest of scythe relies on.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise

from scythe.errors import BadInput
from scythe.model import Reading, TextOptions
from scythe.page import Page

TextMethod = Callable[[Page, TextOptions], Reading]

GROUP = "scythe.text_methods"
BUILT_IN = ("auto", "sentences", "characters", "vsse", "cetr", "cetd")

__all__ = ["BUILT_IN", "GROUP", "TextMethod", "check_text_method", "method", "method_names"]


def method_names() -> tuple[str, ...]:
    """Return the known method names: ours first, then those of other installed packages, sorted."""
    return BUILT_IN + tuple(sorted(_plugins()))


def method(name: str) -> TextMethod:
    """Return the method called `name`. Raises BadInput for a name nobody provides or a plug-in that won't load."""
    if name in BUILT_IN:
        read: TextMethod = import_module(f"{__name__}.{name}").read
        return read
    plugins = _plugins()
    if name not in plugins:
        raise BadInput(f"no text method is called {name!r}; known are {', '.join(BUILT_IN + tuple(sorted(plugins)))}")
    return _load(plugins[name])


def _plugins() -> dict[str, EntryPoint]:
    # a plug-in may not replace a built-in method: a name must mean the same method everywhere
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in BUILT_IN}


def _load(point: EntryPoint) -> TextMethod:
    try:
        loaded = point.load()
    except (ImportError, AttributeError) as error:
        raise BadInput(f"text method {point.name!r} cannot be loaded from {point.value!r}: {error}") from error
    if not callable(loaded):
        raise BadInput(f"text method {point.name!r} at {point.value!r} is a {type(loaded).__name__}, not a callable")
    found: TextMethod = loaded
    return found


_PARAGRAPH = "<p>Reapers walked the field before dawn. They cut the barley low, bound it, and set it up to dry.</p>"
_CHECK_PAGES = (
    "",
    "   \n\t ",
    "plain words without any tag",
    "<html><head><title>Only a title</title></head><body></body></html>",
    "<body><script>var a = 1;</script><nav><a href='/'>Home</a></nav></body>",
    f"<title>Harvest</title><body><nav><a href='/'>Home</a></nav><div>{_PARAGRAPH * 6}</div><footer>2020</footer>",
    f"<table><tr><td>{_PARAGRAPH * 3}<td>side</table>",
    "<div>" * 300 + _PARAGRAPH * 5,
    "<p>\u6536\u5272\u8005\u5728\u9ece\u660e\u524d\u8d70\u8fc7\u7530\u91ce\u3002</p>" * 8,
    "<p>nul \x00, surrogate \ud800, mark \u202e, end</p>",
    "<" * 500 + "<!-- never closed " + _PARAGRAPH,
)


def check_text_method(read: TextMethod) -> None:
    """Assert what scythe relies on: any page gives a Reading, its block numbers ascend and exist, twice is the same."""
    for html in _CHECK_PAGES:
        page = Page.from_text(html, url="https://example.org/page")
        reading = read(page, TextOptions())
        where = f"page {html[:60]!r}"
        assert isinstance(reading, Reading), f"{where}: expected a Reading, got {type(reading).__name__}"
        assert reading.method, f"{where}: the reading does not name its method"
        kept, total = reading.kept, len(page.blocks)
        assert all(a < b for a, b in pairwise(kept)), f"{where}: kept blocks do not ascend: {kept}"
        assert all(0 <= i < total for i in kept), f"{where}: kept blocks outside 0..{total - 1}: {kept}"
        assert not reading.scores or len(reading.scores) == total, (
            f"{where}: {len(reading.scores)} scores, {total} blocks"
        )
        assert kept or (reading.text or "").strip() or reading.why, f"{where}: nothing kept and no reason given"
        again = read(Page.from_text(html, url="https://example.org/page"), TextOptions())
        assert again == reading, f"{where}: a second reading of the same page differs"
