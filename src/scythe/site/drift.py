"""Notice that a learned site has changed: judge each field's values and outcomes, and open and close events.

Per layout and field the last outcomes are kept as letters: `c` cut, `m` missing, `i` implausible; for pages `k` of a
layout that is learned, `u` others. An event opens when trouble is news against what is usual for the layout, and closes
after ten good pages.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import field as dataclass_field
from datetime import UTC, datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from scythe.errors import BadInput
from scythe.model import Field
from scythe.site.rules import Layout, Usual

MOST_CHARS = 2_000  # of one text in a saved state
MOST_NUMBER = 1 << 53

Count: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_NUMBER)]
Text: TypeAlias = Annotated[str, Meta(max_length=MOST_CHARS)]
EventKind: TypeAlias = Annotated[str, Meta(pattern="^(missing|implausible|unknown)$")]


@dataclass(frozen=True, slots=True)
class DriftEvent:
    """Something that stopped working."""

    what: EventKind  # of a field: missing, implausible; of pages: unknown
    layout: Text  # "" for pages that no layout fits
    field: Text  # "" for whole pages
    since: Text  # ISO 8601, UTC
    page: Count  # number of the page, counted from the first extracted, at which it was noticed
    pages: Count  # bad ones since, those that told it included
    example: Text = ""  # address of one of them


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the log: an event opened or closed, a layout learned."""

    what: Text  # opened, closed, learned
    when: Text  # ISO 8601, UTC
    page: Count
    layout: Text
    field: Text = ""
    note: Text = ""


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
        "unknown": "pages fit no layout",
    }[event.what]
    return f"{said}: {event.pages} pages since {event.since}" + (f", such as {event.example}" if event.example else "")


IN_A_ROW = 3
WINDOW = 8
# so many pages, so many of them bad, and the share of earlier pages that may have been: trouble must be news
_SIGNS = ((IN_A_ROW, 3, 0.02), (WINDOW, 4, 0.02), (IN_A_ROW + 1, 4, 0.2), (WINDOW, 6, 0.2))
_UNKNOWN_SIGNS = ((IN_A_ROW, 3, 0.1),)  # a layout that was not met yet is read three times: no news on its own
_USED = 4  # pages of known layouts before others are news
CALM = 10  # good pages in a row that close an event
RECENT = 16  # outcomes kept
MOST_EVENTS = 50
MOST_CHANGES = 100
MOST_TRACKS = 1_000  # layouts, or fields of one, in a saved state
UNKNOWN = ""  # stands for the layout of pages that no layout fits
_BAD = {"missing": "mi", "implausible": "mi", "unknown": "u"}


@dataclass(slots=True)
class FieldHistory:
    """The outcomes of one field, or of the site's pages as a whole."""

    recent: Annotated[str, Meta(max_length=RECENT, pattern="^[cmiku]*$")] = ""
    pages: Count = 0
    missing: Count = 0
    implausible: Count = 0

    def add(self, letter: str, count: int = 1) -> None:
        """Take in so many pages with the same outcome."""
        self.recent = (self.recent + letter * min(count, RECENT))[-RECENT:]
        self.pages += count
        if letter in "mu":
            self.missing += count
        elif letter == "i":
            self.implausible += count

    def ends_badly(self, bad: str, before: int, pages: int, signs: Sequence[tuple[int, int, float]] = _SIGNS) -> bool:
        """Say whether bad outcomes came in a row or in a cluster and are new; all pages had `before` more of them."""
        for window, least, share in signs:
            count = _count(self.recent[-window:], bad)
            earlier = before + self.missing + self.implausible - count
            if count >= least and pages > window and earlier <= share * (pages - window):
                return True
        return False

    def is_well(self, bad: str) -> bool:
        return len(self.recent) >= CALM and not _count(self.recent[-CALM:], bad)


@dataclass(slots=True)
class LayoutHealth:
    """How the fields of one layout fared."""

    pages: Count = 0
    tracks: Annotated[dict[str, FieldHistory], Meta(max_length=MOST_TRACKS)] = dataclass_field(default_factory=dict)
    cut: Count = 0  # the last pages, of which every field was cut: most are such, and need no more than being counted

    def settle(self) -> None:
        """Take the last pages into the histories of the fields."""
        for track in self.tracks.values() if self.cut else ():
            track.add("c", self.cut)
        self.cut = 0


@dataclass(frozen=True, slots=True)
class _SavedHealth:
    """What is saved of a site's health."""

    pages: Count = 0
    learned: Count = 0
    site: FieldHistory = dataclass_field(default_factory=FieldHistory)
    layouts: Annotated[dict[str, LayoutHealth], Meta(max_length=MOST_TRACKS)] = dataclass_field(default_factory=dict)
    events: Annotated[tuple[DriftEvent, ...], Meta(max_length=MOST_EVENTS)] = ()
    log: Annotated[tuple[Change, ...], Meta(max_length=MOST_CHANGES)] = ()


def read_clock() -> str:
    """Return the time in UTC as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Health:
    """What has been seen of a site while extracting: small, plain, saved with its profile."""

    def __init__(self, *, clock: Callable[[], str] = read_clock) -> None:
        self.pages = 0
        self._clock = clock
        self._site = FieldHistory()
        self._learned = 0  # pages learned from before any was counted
        self._watches: dict[str, LayoutHealth] = {}
        self._open: dict[tuple[str, str], DriftEvent] = {}
        self._log: list[Change] = []

    @property
    def drift(self) -> Drift:
        """What stopped working and what was done about it."""
        return Drift(self.pages, tuple(self._open.values()), tuple(self._log))

    @property
    def watches(self) -> Mapping[str, LayoutHealth]:
        """What is known of each layout, by its name: for looking at."""
        for watch in self._watches.values():
            watch.settle()
        return self._watches

    def observe(self, layout: Layout | None, found: Mapping[str, Field], url: str | None = None) -> None:
        """Take in what came of the fields of one page; `layout` is None where it is none that is learned."""
        self.pages += 1
        self._site.add("u" if layout is None else "k")
        if layout is None or self._open:
            trouble = ""
            pages = self._learned + self._site.pages
            if pages - self._site.missing >= _USED:
                trouble = "unknown" if self._site.ends_badly("u", 0, pages, _UNKNOWN_SIGNS) else ""
            self._review(UNKNOWN, "", trouble, self._site, url or "")
        if layout is not None:
            self.observe_fields(layout, found, url or "")

    def observe_fields(self, layout: Layout, found: Mapping[str, Field], url: str) -> None:
        """Take in what came of the fields of one page of a layout."""
        watch = self._watches.get(layout.name)
        if watch is None:
            tracks = {rules.name: FieldHistory() for rules in layout.fields}
            watch = self._watches[layout.name] = LayoutHealth(0, tracks)
        watch.pages += 1
        if not self._open and all_cut(layout, found) and len(watch.tracks) == len(layout.fields):
            watch.cut += 1
            return
        watch.settle()
        for rules in layout.fields:
            name, usual = rules.name, rules.usual
            track = watch.tracks.get(name) or watch.tracks.setdefault(name, FieldHistory())
            how = found[name].how if name in found else ""
            letter = "c" if how.startswith("cut") else "i" if "implausible" in how else "m"
            track.add(letter)
            if (letter == "c" and not self._open) or not usual.is_expected:
                continue
            trouble = ""
            if letter != "c" and track.ends_badly("mi", usual.pages - usual.present, usual.pages + track.pages):
                last = track.recent[-IN_A_ROW:]
                trouble = "implausible" if last.count("i") > last.count("m") else "missing"
            self._review(layout.name, rules.name, trouble, track, url)

    def _review(self, layout: str, name: str, trouble: str, track: FieldHistory, url: str) -> None:
        """Open, keep or close the event of one field, or of the pages as a whole."""
        event = self._open.get((layout, name))
        if event is None:
            if trouble and len(self._open) < MOST_EVENTS:
                bad = _count(track.recent[-WINDOW:], _BAD[trouble])
                self._open[layout, name] = DriftEvent(trouble, layout, name, self._clock(), self.pages, bad, url)
                self.note("opened", layout, name, trouble)
        elif track.recent[-1] in _BAD[event.what]:
            self._open[layout, name] = replace(event, pages=event.pages + 1, example=event.example or url)
        elif track.is_well(_BAD[event.what]):
            self._close(layout, name, "well again")

    def _close(self, layout: str, name: str, why: str) -> None:
        if self._open.pop((layout, name), None) is not None:
            self.note("closed", layout, name, why)

    def learned(self, layout: Layout) -> None:
        """Take in that a layout got other rules: its fields are counted afresh."""
        self._watches.pop(layout.name, None)
        for key in [key for key in self._open if key[0] == layout.name != UNKNOWN]:
            self._close(*key, "learned again")
        self.note("learned", layout.name, note=", ".join(rules.name for rules in layout.fields))

    def settle(self, learned: int) -> None:
        """Forget what was seen until now, on the pages learned from: nothing of it is news."""
        self.pages, self._learned = 0, learned
        self._site, self._watches, self._open, self._log = FieldHistory(), {}, {}, []

    def note(self, what: str, layout: str, name: str = "", note: str = "") -> None:
        """Write a line into the log."""
        self._log.append(Change(what, self._clock(), self.pages, layout, name, note))
        del self._log[:-MOST_CHANGES]

    def dump(self) -> dict[str, object]:
        """Return the state as JSON can hold it."""
        return {
            "pages": self.pages,
            "learned": self._learned,
            "site": asdict(self._site),
            "layouts": {
                name: {"pages": watch.pages, "tracks": {each: asdict(track) for each, track in watch.tracks.items()}}
                for name, watch in self.watches.items()
            },
            "events": [asdict(event) for event in self._open.values()],
            "log": [asdict(change) for change in self._log],
        }

    @classmethod
    def load(cls, state: Mapping[str, object], layouts: Iterable[Layout]) -> Health:
        """Take up a dumped state; what it says of layouts that are no more is left out. Raises BadInput on others."""
        try:
            saved = msgspec.convert(state, _SavedHealth)
        except msgspec.ValidationError as error:
            raise BadInput(f"health: {error}") from None
        health = cls()
        health.pages, health._learned, health._site = saved.pages, saved.learned, saved.site
        for layout in layouts:
            if (known := saved.layouts.get(layout.name)) is not None:
                tracks = {one.name: known.tracks[one.name] for one in layout.fields if one.name in known.tracks}
                health._watches[layout.name] = LayoutHealth(known.pages, tracks)
        health._open = {(event.layout, event.field): event for event in saved.events}
        health._log = list(saved.log)
        return health


def all_cut(layout: Layout, found: Mapping[str, Field]) -> bool:
    """Say whether every field of a layout was cut from a page."""
    for rules in layout.fields:
        field = found.get(rules.name)
        if field is None or field.how[:3] != "cut":
            return False
    return True


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


def usual_of(values_per_page: Sequence[tuple[str, ...]], pages: int | None = None) -> Usual:
    """Sum up a field over the pages learned: one tuple of values per page, () where it has none.

    `pages` counts those on which the field was looked for, where they are more than the entries.
    """
    scripts = [found for own in values_per_page if own and (found := script_of(" ".join(own[:_VALUES])))]
    lengths = sorted(len(value) for values in values_per_page for value in values[:_VALUES])
    return Usual(
        pages=max(len(values_per_page), pages or 0),
        present=sum(bool(values) for values in values_per_page),
        shortest=lengths[0] if lengths else 0,
        longest=lengths[-1] if lengths else 0,
        middle=sorted(lengths)[(len(lengths) - 1) // 2] if lengths else 0,
        # that of all pages whose values are long enough to tell
        script=scripts[0] if len(scripts) >= _WITNESSES and len(set(scripts)) == 1 else "",
        form=_common_form([value for values in values_per_page for value in values[:_VALUES]]),
    )


def judge(usual: Usual, values: tuple[str, ...], *, strictly: bool = True) -> str:
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
    return ""


def begins_in(text: str, script: str) -> bool:
    """Say whether the first letter is of a script: true of nearly all texts of that script, and told at once."""
    first = text[:1]
    return first.isalpha() and _SCRIPTS[bisect_right(_STARTS, ord(first)) - 1][1] == script


def script_of(text: str) -> str:
    """Return the script of most letters at the beginning of a text, or an empty string where there are too few."""
    letters = "".join(filter(str.isalpha, text[:_LOOKED_AT:_STRIDE]))
    if len(letters) < _LETTERS:
        return ""
    if letters.isascii():
        return "latin"
    found = Counter(_SCRIPTS[bisect_right(_STARTS, ord(letter)) - 1][1] for letter in letters)
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
    if size > usual.longest * spread + _ROOM_CHARS or size * spread + _ROOM_CHARS < usual.shortest:
        return f"implausible: {size} characters, usually {usual.shortest} to {usual.longest}"
    return ""


def _common_form(values: Sequence[str]) -> str:
    if not values or max(map(len, values)) > _FORM_CHARS:
        return ""
    lettered = [_LETTER.search(value) is not None for value in values]
    parts = ["digits"] if all(map(_DIGIT.search, values)) else []
    parts += ["letters"] if all(lettered) else [] if any(lettered) else ["no letters"]
    return "+".join(parts)
