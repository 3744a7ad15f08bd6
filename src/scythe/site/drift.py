"""Notice that a learned site has changed: judge each field's values and outcomes, and open and close events.

Per layout and field the last outcomes are kept as letters: `c` cut, `t` by the tree, `m` missing, `i` implausible; for
pages `k` as learned, `x` otherwise, `u` of unknown layout. An event opens after three bad pages in a row or four of the
last eight, and closes after ten good ones. Also decides when parsing pages for a hopeless field can be skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from dataclasses import field as dataclass_field
from datetime import UTC, datetime
from statistics import median_low
from typing import TypeVar

from scythe.errors import BadInput
from scythe.site.rules import Layout, Usual

_VAIN = 16  # times that a tree did not have a field, and never had, before it is asked less often
_AGAIN = 32  # then every so many pages, since a site may change
_MOST = 1_000  # fields and reasons

Doubt = tuple[str, str, str]  # layout, field and reason


class TreeBudget:
    """Counts, in bounded memory, how often the tree was asked for a field for one reason and did not have it."""

    def __init__(self, vain: int = _VAIN) -> None:
        self._patience = vain
        self._vain: dict[Doubt, int] = {}  # -1: the tree once had it

    def is_worth(self, doubt: Doubt) -> bool:
        """Say whether the tree should be asked; where it should not, that counts too."""
        vain = self._vain.get(doubt, 0)
        if vain < self._patience:
            return True
        self._vain[doubt] = vain + 1
        return (vain - self._patience) % _AGAIN == 0

    def note(self, doubt: Doubt, *, found: bool) -> None:
        """Take in whether the tree had the field; where it once had, it is asked ever after."""
        vain = self._vain.get(doubt, 0)
        if found:
            self._vain[doubt] = -1
        elif 0 <= vain < self._patience and (vain or len(self._vain) < _MOST):
            self._vain[doubt] = vain + 1


MOST_CHARS = 2_000  # of one text in a saved state
MOST_NUMBER = 1 << 53

Plain = TypeVar("Plain")


@dataclass(frozen=True, slots=True)
class DriftEvent:
    """Something that stopped working."""

    what: str  # of a field: missing, implausible, tree (only the tree gets it); of pages: unknown, misfit
    layout: str  # "" for pages that no layout fits
    field: str  # "" for whole pages
    since: str  # ISO 8601, UTC
    page: int  # number of the page, counted from the first extracted, at which it was noticed
    pages: int  # bad ones since, those that told it included
    example: str = ""  # address of one of them


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log: an event opened or closed, a layout learned or dropped."""

    what: str  # opened, closed, learned, dropped, failed
    when: str  # ISO 8601, UTC
    page: int
    layout: str
    field: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a site has moved from what was learned of it: for people and for `scythe check`."""

    pages: int  # extracted
    events: tuple[DriftEvent, ...] = ()  # those still open, the oldest first
    log: tuple[Change, ...] = ()  # the last changes, the oldest first

    @property
    def healthy(self) -> bool:
        """Whether everything that was learned still works."""
        return not self.events

    def __bool__(self) -> bool:
        return bool(self.events)  # `if site.drift:` reads as it should

    def __iter__(self) -> Iterator[DriftEvent]:
        return iter(self.events)

    def __str__(self) -> str:
        """Describe it in lines for a terminal."""
        if self.healthy:
            return f"healthy after {self.pages} pages"
        return "\n".join(describe(event) for event in self.events)


def describe(event: DriftEvent) -> str:
    """Put an event into one sentence."""
    where = f" in {event.layout}" if event.layout else ""
    said = {
        "missing": f"{event.field} is missing{where}",
        "implausible": f"{event.field} is implausible{where}",
        "tree": f"{event.field} is found only by the tree{where}",
        "misfit": "pages no longer fit what was learned",
        "unknown": "pages fit no layout",
    }[event.what]
    return f"{said}: {event.pages} pages since {event.since}" + (f", such as {event.example}" if event.example else "")


def read_plain(kind: type[Plain], value: object) -> Plain:
    """Make a record of numbers and texts from what JSON held. Raises BadInput where it holds something else."""
    if not isinstance(value, Mapping):
        raise BadInput(f"health: expected an object for {kind.__name__}, got {type(value).__name__}")
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    given: dict[str, object] = {}
    for name, field in known.items():
        if name not in value and field.default is not MISSING:
            continue
        item = value.get(name)
        is_number = field.type == "int"
        if type(item) is not (int if is_number else str):
            raise BadInput(f"health: expected {'a number' if is_number else 'text'} for {name}, got {item!r:.60}")
        if (isinstance(item, int) and not 0 <= item <= MOST_NUMBER) or (
            isinstance(item, str) and len(item) > MOST_CHARS
        ):
            raise BadInput(f"health: {name} is too large")
        given[name] = item
    return kind(**given)


def read_number(state: Mapping[str, object], name: str) -> int:
    """Return a whole number of a saved state, 0 where it is missing. Raises BadInput for anything else."""
    found = state.get(name, 0)
    if type(found) is not int or not 0 <= found <= MOST_NUMBER:
        raise BadInput(f"health: expected a number for {name:.60}, got {found!r:.60}")
    return found


def read_map(state: Mapping[str, object], name: str, most: int) -> Mapping[str, object]:
    """Return an object of a saved state. Raises BadInput where there is none, or one with too many keys."""
    found = state.get(name, {})
    if not isinstance(found, Mapping) or len(found) > most:
        raise BadInput(f"health: expected an object of at most {most} keys for {name}")
    return found


def read_list(state: Mapping[str, object], name: str, most: int) -> list[object]:
    """Return a list of a saved state. Raises BadInput where there is none, or one that is too long."""
    found = state.get(name, [])
    if not isinstance(found, list) or len(found) > most:
        raise BadInput(f"health: expected a list of at most {most} for {name}")
    return found


IN_A_ROW = 3
WINDOW = 8
# so many pages, so many of them bad, and the share of earlier pages that may have been: trouble must be news
_SIGNS = ((IN_A_ROW, 3, 0.02), (WINDOW, 4, 0.02), (IN_A_ROW + 1, 4, 0.2), (WINDOW, 6, 0.2))
CALM = 10  # good pages in a row that close an event
RECENT = 16  # outcomes kept
MOST_EVENTS = 50
MOST_CHANGES = 100
MOST_TRACKS = 1_000  # layouts, or fields of one, in a saved state
RECORDS, IMAGES = "records", "images"  # what events call what is got when asked for
UNKNOWN = ""  # stands for the layout of pages that no layout fits
_BAD = {"missing": "mi", "implausible": "mi", "tree": "tmi", "misfit": "ux", "unknown": "u"}
_WORSE = {"tree": ("missing", "implausible"), "misfit": ("unknown",)}
_HEALTH_LETTERS = frozenset("ctmikux")
_ALL_KNOWN = "k" * RECENT
_ALL_CUT = "c" * RECENT


@dataclass(slots=True)
class FieldHistory:
    """The outcomes of one field, or of the site's pages as a whole."""

    recent: str = ""
    tree: int = 0
    missing: int = 0
    implausible: int = 0

    def add(self, letter: str) -> None:
        self.recent = (self.recent + letter)[-RECENT:]
        if letter in "tx":
            self.tree += 1
        elif letter in "mu":
            self.missing += 1
        elif letter == "i":
            self.implausible += 1

    def ends_badly(self, bad: str, before: int, pages: int) -> bool:
        """Say whether bad outcomes came in a row or in a cluster and are new; all pages had `before` more of them."""
        for window, least, share in _SIGNS:
            count = _count(self.recent[-window:], bad)
            earlier = before + self.count(bad) - count
            if count >= least and pages > window and earlier <= share * (pages - window):
                return True
        return False

    def count(self, bad: str) -> int:
        return self.missing + self.implausible + (self.tree if bad in ("tmi", "ux") else 0)

    def is_well(self, bad: str) -> bool:
        return len(self.recent) >= CALM and not _count(self.recent[-CALM:], bad)


@dataclass(slots=True)
class LayoutHealth:
    """What is known of one layout; `usual` and `quiet` follow from the rest."""

    pages: int = 0
    tracks: dict[str, FieldHistory] = dataclass_field(default_factory=dict)
    usual: dict[str, tuple[int, int]] = dataclass_field(
        default_factory=dict
    )  # field -> pages learned without it and all of them
    quiet: bool = False  # every recent page was cut, and nothing is open
    lists: FieldHistory = dataclass_field(default_factory=FieldHistory)  # of the pages whose records somebody asked for
    images: FieldHistory = dataclass_field(default_factory=FieldHistory)  # of those whose images somebody asked for

    def dump(self) -> dict[str, object]:
        tracks = {name: asdict(track) for name, track in self.tracks.items()}
        plain: dict[str, object] = {"pages": self.pages, "tracks": tracks}
        asked = {"lists": self.lists, "images": self.images}
        return plain | {name: asdict(track) for name, track in asked.items() if track.recent}

    def diagnose(self, name: str) -> str:
        """Name what is wrong with a field that is usually there, if anything is."""
        track, (absent, learned) = self.tracks[name], self.usual[name]
        if track.ends_badly("mi", absent, learned + self.pages):
            last = track.recent[-IN_A_ROW:]
            return "implausible" if last.count("i") > last.count("m") else "missing"
        # whether the pages learned could be cut is not known
        return "tree" if track.ends_badly("tmi", absent, self.pages) else ""

    def settle(self, is_open: bool) -> None:
        self.quiet = not is_open and all(self.tracks[name].recent == _ALL_CUT for name in self.usual)


def read_clock() -> str:
    """Return the time in UTC as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Health:
    """What has been seen of a site while extracting: small, plain, saved with its profile."""

    def __init__(self, learned: int = 0, *, clock: Callable[[], str] = read_clock) -> None:
        self.pages = 0
        self._learned = learned  # pages
        self._looked_back = 0  # pages of these that were extracted again, to see what is normal
        self._clock = clock
        self._site = FieldHistory()
        self._watches: dict[str, LayoutHealth] = {}
        self._seen: dict[str, int] = {}  # number of the last page of each layout
        self._open: dict[tuple[str, str], DriftEvent] = {}
        self._log: list[Change] = []

    @property
    def drift(self) -> Drift:
        """What stopped working and what was done about it."""
        return Drift(self.pages, tuple(self._open.values()), tuple(self._log))

    @property
    def watches(self) -> Mapping[str, LayoutHealth]:
        """What is known of each layout, by its name: for looking at."""
        return self._watches

    @property
    def is_ailing(self) -> bool:
        """Whether any event is open."""
        return bool(self._open)

    def settle(self, layouts: Iterable[Layout]) -> None:
        """Take what was seen until now, on the pages learned, for the normal state: nothing of it is news."""
        for layout in layouts:
            if layout.name in self._watches:
                self._watches[layout.name].usual = watch_over(layout).usual
        self._looked_back += self.pages
        self.pages = 0
        self._seen = {}
        self._open = {}
        self._log = []

    def last_seen(self, layout: str) -> int:
        """Return the number of the last page of a layout, 0 if there was none."""
        return self._seen.get(layout, 0)

    def observe(self, layout: Layout | None, hows: Mapping[str, str], url: str | None = None) -> bool:
        """Take in how the fields of one page were got, and say whether the page is one that the rules do not fit."""
        self.pages += 1
        if layout is None:
            self._observe_page("u", url or "")
            return True
        watch = self._watches.get(layout.name) or self._enter(layout)
        watch.pages += 1
        self._seen[layout.name] = self.pages
        if watch.quiet and all(hows.get(name, "m")[0] == "c" for name in watch.tracks):
            uncut: list[str] = []
        else:
            uncut = self._observe_fields(layout.name, watch, hows, url or "")
        is_odd = any(watch.usual[name][0] == 0 for name in uncut)  # all pages learned had it
        if is_odd or self._site.recent != _ALL_KNOWN:
            self._observe_page("x" if is_odd else "k", url or "")
        return bool(uncut)

    def observe_records(self, layout: Layout, how: str, url: str | None = None) -> None:
        """Take in how the records of one page were got, if its layout is one whose pages nearly all have some."""
        if any(rules.is_expected for rules in layout.lists):
            watch = self._watches.get(layout.name) or self._enter(layout)
            self._observe_asked(layout, RECORDS, watch.lists, how, url)

    def observe_images(self, layout: Layout, how: str, url: str | None = None) -> None:
        """Take in how the images of one page were got, if its layout has an area that nearly all pages have."""
        if any(area.is_expected for area in layout.images.areas):
            watch = self._watches.get(layout.name) or self._enter(layout)
            self._observe_asked(layout, IMAGES, watch.images, how, url)

    def _observe_asked(self, layout: Layout, name: str, track: FieldHistory, how: str, url: str | None) -> None:
        track.add(_letter(how))
        pages = layout.pages + self._watches[layout.name].pages
        self._review(layout.name, name, "tree" if track.ends_badly("tmi", 0, pages) else "", track, url or "")

    def _observe_page(self, letter: str, url: str) -> None:
        """Watch the pages as a whole, whatever their layouts: a new design of all of them may show in each but once."""
        track = self._site
        track.add(letter)
        trouble = ""
        if track.ends_badly("u", 0, self._learned + self.pages) or _count(track.recent[-WINDOW:], "u") == WINDOW:
            trouble = "unknown"  # the second is news even where every third page is unknown
        elif not self._open and track.ends_badly("ux", 0, self._looked_back + self.pages):
            trouble = "misfit"
        self._review(UNKNOWN, "", trouble, track, url)

    def _observe_fields(self, layout: str, watch: LayoutHealth, hows: Mapping[str, str], url: str) -> list[str]:
        """Return the fields that were expected and not cut."""
        uncut: list[str] = []
        for name, track in watch.tracks.items():
            letter = _letter(hows.get(name, ""))
            track.add(letter)
            if name in watch.usual:
                if letter != "c":
                    uncut.append(name)
                self._review(layout, name, watch.diagnose(name), track, url)
        watch.settle(any(key[0] == layout for key in self._open))
        return uncut

    def _review(self, layout: str, name: str, trouble: str, track: FieldHistory, url: str) -> None:
        """Open, keep or close the event of one field, or of the pages as a whole."""
        event = self._open.get((layout, name))
        if trouble and (event is None or trouble in _WORSE.get(event.what, ())):
            self._open_event(trouble, layout, name, _count(track.recent[-WINDOW:], _BAD[trouble]), url)
        elif event is not None and track.recent[-1] in _BAD[event.what]:
            self._open[layout, name] = replace(event, pages=event.pages + 1, example=event.example or url)
        elif event is not None and track.is_well(_BAD[event.what]):
            self.close(layout, name, "well again")

    def _open_event(self, what: str, layout: str, name: str, pages: int, url: str) -> None:
        if len(self._open) >= MOST_EVENTS and (layout, name) not in self._open:
            return
        if layout and self._open.get((UNKNOWN, ""), DriftEvent("", "", "", "", 0, 0)).what == "misfit":
            self.close(UNKNOWN, "", "named more closely")
        self._open[layout, name] = DriftEvent(what, layout, name, self._clock(), self.pages, pages, url)
        self.note("opened", layout, name, what)

    def close(self, layout: str, name: str, why: str) -> None:
        """Close an event, if it is open."""
        if self._open.pop((layout, name), None) is not None:
            self.note("closed", layout, name, why)

    def miss(self, layout: str, name: str, why: str) -> None:
        """Open an event for a field that a new layout should have and that could not be learned."""
        self._open_event("missing", layout, name, 0, "")
        self.note("failed", layout, name, why)

    def start_afresh(self, layout: str, why: str) -> None:
        """Count from now on for a layout (or the unknown pages): what troubled it was taken care of."""
        if layout == UNKNOWN:
            self._site = FieldHistory()
        self._watches.pop(layout, None)
        for key in [key for key in self._open if key[0] == layout]:
            self.close(*key, why)

    def renew(self, layout: Layout, names: Collection[str], why: str) -> None:
        """Count some fields of a layout afresh: they got further rules."""
        watch = self._watches.get(layout.name) or self._enter(layout)
        fresh = watch_over(layout)
        watch.usual = fresh.usual
        watch.tracks = {
            name: track if name in names else watch.tracks.get(name, track) for name, track in fresh.tracks.items()
        }
        for name in names:
            self.close(layout.name, name, why)

    def note(self, what: str, layout: str, name: str = "", note: str = "") -> None:
        """Write a line into the log."""
        self._log.append(Change(what, self._clock(), self.pages, layout, name, note))
        del self._log[:-MOST_CHANGES]

    def _enter(self, layout: Layout) -> LayoutHealth:
        watch = self._watches[layout.name] = watch_over(layout)
        return watch

    def dump(self) -> dict[str, object]:
        """Return the state as JSON can hold it."""
        return {
            "pages": self.pages,
            "looked_back": self._looked_back,
            "site": asdict(self._site),
            "seen": dict(self._seen),
            "layouts": {name: watch.dump() for name, watch in self._watches.items()},
            "events": [asdict(event) for event in self._open.values()],
            "log": [asdict(change) for change in self._log],
        }

    @classmethod
    def load(cls, state: Mapping[str, object], layouts: tuple[Layout, ...]) -> Health:
        """Take up a dumped state; what it says of layouts that are no more is left out. Raises BadInput on others."""
        health = cls(sum(layout.pages for layout in layouts))
        health.pages = read_number(state, "pages")
        seen = read_map(state, "seen", MOST_TRACKS)
        health._seen = {layout.name: read_number(seen, layout.name) for layout in layouts}
        health._looked_back = read_number(state, "looked_back")
        health._site = read_track(state.get("site", {}))
        saved = read_map(state, "layouts", MOST_TRACKS)
        for layout in layouts:
            if layout.name in saved:
                health._watches[layout.name] = read_watch(saved[layout.name], layout)
        events = [read_plain(DriftEvent, event) for event in read_list(state, "events", MOST_EVENTS)]
        if any(event.what not in _BAD for event in events):
            raise BadInput(f"health: events are one of {', '.join(_BAD)}")
        health._open = {(event.layout, event.field): event for event in events}
        health._log = [read_plain(Change, change) for change in read_list(state, "log", MOST_CHANGES)]
        return health


def read_track(value: object) -> FieldHistory:
    """Make a track from what JSON held."""
    track = read_plain(FieldHistory, value)
    if len(track.recent) > RECENT or not _HEALTH_LETTERS.issuperset(track.recent):
        raise BadInput(f"health: {track.recent!r:.60} are not outcomes")
    return track


def read_watch(value: object, layout: Layout) -> LayoutHealth:
    """Make what is known of a layout from what JSON held; its fields are those the layout has now."""
    watch = watch_over(layout)
    if not isinstance(value, Mapping):
        raise BadInput(f"health: expected an object for {layout.name}")
    watch.pages = read_number(value, "pages")
    saved = read_map(value, "tracks", MOST_TRACKS)
    watch.tracks |= {name: read_track(saved[name]) for name in watch.tracks if name in saved}
    watch.lists = read_track(value.get("lists", {}))
    watch.images = read_track(value.get("images", {}))
    return watch


def watch_over(layout: Layout) -> LayoutHealth:
    """Begin to watch a layout: all its fields are counted, those that are usually there are expected."""
    usual = {rules.name: rules.usual for rules in layout.fields}
    expected = {name: (each.pages - each.present, each.pages) for name, each in usual.items() if each.is_expected}
    return LayoutHealth(tracks={name: FieldHistory() for name in usual}, usual=expected)


def _letter(how: str) -> str:
    if how.startswith("cut"):
        return "c"
    if how.startswith("tree") and not how.startswith("tree: read cold"):
        return "t"
    return "i" if "implausible" in how else "m"


def _count(letters: str, bad: str) -> int:
    return sum(map(letters.count, bad))


_LOOKED_AT = 200  # characters of a value that its script is told from
_STRIDE = 4  # of these, every fourth
_LETTERS = 12  # among those looked at, before they say anything of a script: names may be foreign, sentences are not
_WITNESSES = 3  # pages that must agree on a script
_VALUES = 50  # of a page that are judged: fields that repeat may have thousands
_FEW_PAGES = 5  # so many more pages count half as unsure
_FORM_PAGES = 5  # pages with one form before another form is doubted: of "Not available" some is told by then
_NUMBERS = "digits+no letters"  # prices, telephone numbers, years
_FORM_CHARS = 100  # longer values have all forms
_ROOM_CHARS = 30  # a short field may grow by so much, whatever it was before
_ROOM_BYTES = 50_000  # a new banner or an inline script before the field moves it by so much

Span = tuple[int, int] | None

# where scripts begin in Unicode; "" holds what belongs to several scripts or to none
_SCRIPTS: tuple[tuple[int, str], ...] = (
    (0x0000, "latin"), (0x0250, ""), (0x0370, "greek"), (0x0400, "cyrillic"), (0x0530, "armenian"), (0x0590, "hebrew"),
    (0x0600, "arabic"), (0x0700, ""), (0x0750, "arabic"), (0x0780, ""), (0x08A0, "arabic"), (0x0900, "devanagari"),
    (0x0980, "bengali"), (0x0A00, "gurmukhi"), (0x0A80, "gujarati"), (0x0B00, "oriya"), (0x0B80, "tamil"),
    (0x0C00, "telugu"), (0x0C80, "kannada"), (0x0D00, "malayalam"), (0x0D80, "sinhala"), (0x0E00, "thai"),
    (0x0E80, "lao"), (0x0F00, "tibetan"), (0x1000, "myanmar"), (0x10A0, "georgian"), (0x1100, "hangul"),
    (0x1200, "ethiopic"), (0x13A0, ""), (0x1780, "khmer"), (0x1800, "mongolian"), (0x18B0, ""), (0x1C90, "georgian"),
    (0x1CC0, ""), (0x1E00, "latin"), (0x1F00, "greek"), (0x2000, ""), (0x2E80, "han"), (0x3000, ""), (0x3040, "han"),
    (0x3130, "hangul"), (0x3190, "han"), (0xA000, ""), (0xAC00, "hangul"), (0xD7B0, ""), (0xF900, "han"),
    (0xFB00, ""), (0xFB1D, "hebrew"), (0xFB50, "arabic"), (0xFE00, ""), (0xFE70, "arabic"), (0xFEFF, ""),
    (0xFF21, "latin"), (0xFF66, "han"), (0xFFA0, "hangul"), (0xFFE0, ""), (0x20000, "han"), (0x32000, ""),
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_STARTS = [start for start, _ in _SCRIPTS]


def usual_of(values_per_page: Sequence[tuple[str, ...]], spans: Sequence[Span], pages: int | None = None) -> Usual:
    """Sum up a field over the pages learned: one tuple of values and one span (or None) per page, () where it has none.

    `pages` counts those on which the field was looked for, where they are more than the entries.
    """
    lengths = sorted(len(value) for values in values_per_page for value in values[:_VALUES])
    starts = [span[0] for span, values in zip(spans, values_per_page, strict=True) if span is not None and values]
    return Usual(
        pages=max(len(values_per_page), pages or 0),
        present=sum(bool(values) for values in values_per_page),
        shortest=lengths[0] if lengths else 0,
        longest=lengths[-1] if lengths else 0,
        middle=median_low(lengths) if lengths else 0,
        first=min(starts, default=0),
        last=max(starts, default=0),
        script=_common_script(values_per_page),
        form=_common_form([value for values in values_per_page for value in values[:_VALUES]]),
    )


def judge(usual: Usual, values: tuple[str, ...], span: Span, *, strictly: bool = True) -> str:
    """Say why values are implausible for a field, or return an empty string. Takes half a microsecond for most.

    `strictly` is for values from rules that are not the first choice: they must look just like those learned.
    """
    if not usual.present:
        return ""
    if not values:
        return "implausible: empty"
    for value in values if len(values) <= _VALUES else values[:_VALUES]:
        size = len(value)
        if not usual.shortest <= size <= usual.longest and (strange := _judge_length(usual, size)):
            return strange
        if usual.form and usual.present >= _FORM_PAGES and not has_form(value, usual.form, strictly=strictly):
            return f"implausible: usually with {usual.form}"
        if (
            usual.script
            and not begins_in(value, usual.script)
            and (script := script_of(value)) not in ("", usual.script)
        ):
            return f"implausible: {script} letters, usually {usual.script}"
    if span is not None and not usual.first <= span[0] <= usual.last:
        return _judge_position(usual, span[0])
    return ""


def begins_in(text: str, script: str) -> bool:
    """Say whether the first letter is of a script: true of nearly all texts of that script, and told at once."""
    first = text[:1]
    return first.isalpha() and _SCRIPTS[bisect_right(_STARTS, ord(first)) - 1][1] == script


def script_of(text: str) -> str:
    """Return the script of most letters at the beginning of a text, or an empty string where there are too few."""
    letters = [ord(c) for c in text[:_LOOKED_AT:_STRIDE] if c.isalpha()]
    if len(letters) < _LETTERS:
        return ""
    found = Counter(_SCRIPTS[bisect_right(_STARTS, letter) - 1][1] for letter in letters)
    script, count = found.most_common(1)[0]
    return script if 2 * count > len(letters) else ""


def has_form(value: str, form: str, *, strictly: bool = True) -> bool:
    """Say whether a value has the form that `Usual.form` names.

    Not strictly, only what was always a number must be one: titles may be numbers, places may go without their code.
    """
    if len(value) > _FORM_CHARS or (form != _NUMBERS and not strictly):
        return True
    if form.startswith("digits") and _DIGIT.search(value) is None:
        return False
    return not form.endswith("letters") or (_LETTER.search(value) is None) == form.endswith("no letters")


def _judge_length(usual: Usual, size: int) -> str:
    spread = max(3.0, usual.longest / max(usual.shortest, 1)) * (1 + _FEW_PAGES / usual.present)
    if size == 0 and usual.shortest > 0:
        return "implausible: empty"
    if size > usual.longest * spread + _ROOM_CHARS:
        return f"implausible: {size} characters, usually {usual.shortest} to {usual.longest}"
    if size * spread + _ROOM_CHARS < usual.shortest:
        return f"implausible: {size} characters, usually {usual.shortest} to {usual.longest}"
    return ""


def _judge_position(usual: Usual, start: int) -> str:
    room = (2 * (usual.last - usual.first) + _ROOM_BYTES) * (1 + _FEW_PAGES / usual.present)
    if not usual.last or usual.first - room <= start <= usual.last + room:
        return ""
    return f"implausible: at byte {start}, usually {usual.first} to {usual.last}"


def _common_script(values_per_page: Sequence[tuple[str, ...]]) -> str:
    """Return the script that all pages share whose values are long enough to tell."""
    seen = [script for values in values_per_page if values and (script := script_of(" ".join(values[:_VALUES])))]
    return seen[0] if len(seen) >= _WITNESSES and len(set(seen)) == 1 else ""


def _common_form(values: Sequence[str]) -> str:
    if not values or max(map(len, values)) > _FORM_CHARS:
        return ""
    lettered = [_LETTER.search(value) is not None for value in values]
    parts = ["digits"] if all(map(_DIGIT.search, values)) else []
    parts += ["letters"] if all(lettered) else [] if any(lettered) else ["no letters"]
    return "+".join(parts)
