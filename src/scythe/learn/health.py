"""Keep watch over a learned site: how each field of each page was got comes in, what stopped working goes out.

Per layout and field the last outcomes are kept as letters, one a page: `c` cut, `t` only by the tree, `m` missing,
`i` implausible; for all pages `k` as learned, `x` otherwise, `u` of unknown layout. Memory is bounded, and a page on
which all is well costs a microsecond. Trouble opens an event after three bad pages in a row, or four of the last eight
where templates alternate (more, where a field was missing now and then before), and closes it only after ten good ones
in a row: no site makes it flutter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime

from scythe.errors import BadInput
from scythe.learn.events import Change, Drift, Event, read_list, read_map, read_number, read_plain
from scythe.rules import Layout

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
_LETTERS = frozenset("ctmikux")
_ALL_KNOWN = "k" * RECENT
_ALL_CUT = "c" * RECENT


@dataclass(slots=True)
class Track:
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
class Watch:
    """What is known of one layout; `usual` and `quiet` follow from the rest."""

    pages: int = 0
    tracks: dict[str, Track] = field(default_factory=dict)
    usual: dict[str, tuple[int, int]] = field(default_factory=dict)  # field -> pages learned without it and all of them
    quiet: bool = False  # every recent page was cut, and nothing is open
    lists: Track = field(default_factory=Track)  # of the pages whose records somebody asked for
    images: Track = field(default_factory=Track)  # of those whose images somebody asked for

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
        self._site = Track()
        self._watches: dict[str, Watch] = {}
        self._seen: dict[str, int] = {}  # number of the last page of each layout
        self._open: dict[tuple[str, str], Event] = {}
        self._log: list[Change] = []

    @property
    def drift(self) -> Drift:
        """What stopped working and what was done about it."""
        return Drift(self.pages, tuple(self._open.values()), tuple(self._log))

    @property
    def watches(self) -> Mapping[str, Watch]:
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
        if any(rules.is_expected for rules in layout.regions):
            watch = self._watches.get(layout.name) or self._enter(layout)
            self._observe_asked(layout, RECORDS, watch.lists, how, url)

    def observe_images(self, layout: Layout, how: str, url: str | None = None) -> None:
        """Take in how the images of one page were got, if its layout has an area that nearly all pages have."""
        if any(area.is_expected for area in layout.images.areas):
            watch = self._watches.get(layout.name) or self._enter(layout)
            self._observe_asked(layout, IMAGES, watch.images, how, url)

    def _observe_asked(self, layout: Layout, name: str, track: Track, how: str, url: str | None) -> None:
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

    def _observe_fields(self, layout: str, watch: Watch, hows: Mapping[str, str], url: str) -> list[str]:
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

    def _review(self, layout: str, name: str, trouble: str, track: Track, url: str) -> None:
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
        if layout and self._open.get((UNKNOWN, ""), Event("", "", "", "", 0, 0)).what == "misfit":
            self.close(UNKNOWN, "", "named more closely")
        self._open[layout, name] = Event(what, layout, name, self._clock(), self.pages, pages, url)
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
            self._site = Track()
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

    def _enter(self, layout: Layout) -> Watch:
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
        events = [read_plain(Event, event) for event in read_list(state, "events", MOST_EVENTS)]
        if any(event.what not in _BAD for event in events):
            raise BadInput(f"health: events are one of {', '.join(_BAD)}")
        health._open = {(event.layout, event.field): event for event in events}
        health._log = [read_plain(Change, change) for change in read_list(state, "log", MOST_CHANGES)]
        return health


def read_track(value: object) -> Track:
    """Make a track from what JSON held."""
    track = read_plain(Track, value)
    if len(track.recent) > RECENT or not _LETTERS.issuperset(track.recent):
        raise BadInput(f"health: {track.recent!r:.60} are no outcomes")
    return track


def read_watch(value: object, layout: Layout) -> Watch:
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


def watch_over(layout: Layout) -> Watch:
    """Begin to watch a layout: all its fields are counted, those that are usually there are expected."""
    usual = {rules.name: rules.usual for rules in layout.fields}
    expected = {name: (each.pages - each.present, each.pages) for name, each in usual.items() if each.is_expected}
    return Watch(tracks={name: Track() for name in usual}, usual=expected)


def _letter(how: str) -> str:
    if how.startswith("cut"):
        return "c"
    if how.startswith("tree") and not how.startswith("tree: read cold"):
        return "t"
    return "i" if "implausible" in how else "m"


def _count(letters: str, bad: str) -> int:
    return sum(map(letters.count, bad))
