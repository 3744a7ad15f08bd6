"""Track the lists of a page during a visit: what is new, whether anything was missed, and when to come again.

On a list with the newest first, a record of the last visit that is still shown proves that all newer ones are above it,
unless it is pinned. So old records in their old order count, after the new ones. No input or output happens here.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from scythe.archive.results import ListRow, RecordKey
from scythe.crawl_model import Looked
from scythe.limits import LIMITS
from scythe.model import Record, RecordList
from scythe.schedule.auto import OUTAGE_CEILINGS
from scythe.schedule.policies import make_policy
from scythe.watch_model import Observation, VisitPlan
from scythe.watching.list_choice import Notes, Picked, known_row, pick, unfound, watched_rows
from scythe.watching.list_identity import MOST, KnownList, describe, describe_list, know_again
from scythe.watching.relative_dates import published_times
from scythe.watching.watch_options import ListOptions

_DELETED = 3  # records of the last visit that may be gone from above one that is shown, in any case


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a visit saw of a list, compared with the last one."""

    new: tuple[int, ...]  # places of the records that nobody has seen before
    is_proven: bool  # nothing fell off in between
    why: str


def judge_overlap(
    keys: Sequence[str], known: Collection[str], newest: Sequence[str], sticky: Collection[str] = ()
) -> Overlap:
    """Say which records of a list are new, and whether all that came since the last visit are among them.

    `keys` are in the order of the page, those of older pages behind; `newest` is what `next_newest` gave at the last
    visit without a gap, `sticky` what `next_sticky` gave. `known` may hold keys of other lists.
    """
    places = {key: place for place, key in reversed(list(enumerate(keys)))}
    new = tuple(place for place, key in enumerate(keys) if key not in known and places[key] == place)
    if not newest:
        return Overlap(new, True, "first visit")
    if not keys:
        return Overlap(new, False, "empty")
    order = {key: place for place, key in reversed(list(enumerate(newest)))}
    if all(key in order for key in keys):
        return Overlap(new, True, "nothing came")
    shown = list(dict.fromkeys(keys))
    pinned = {key for key in shown[: _pinnable(len(shown))] if key in sticky}  # further down it sank like all others
    shown = [key for key in shown if key not in pinned]
    old = [key for key in dict.fromkeys(newest) if key not in pinned]
    is_proven, why = _weigh(shown, old)
    return Overlap(new, is_proven, why)


def _weigh(shown: Sequence[str], old: Sequence[str]) -> tuple[bool, str]:
    """Compare a list with what it was, both without repeats and without what is known to be pinned."""
    order = {key: place for place, key in enumerate(old)}
    anchors = _in_order([(place, order[key]) for place, key in enumerate(shown) if key in order])
    if not anchors:
        return False, "nothing of the last visit is left"
    last, deepest = anchors[-1]
    held = {key for key in shown if key in order}
    gone = sum(key not in held for key in old[:deepest])
    if gone > max(_DELETED, 2 * len(anchors)):
        # all above it would have been deleted: it is rather pinned to the end
        return False, "what is left is not what was shown first"
    others = [place for place, key in enumerate(shown) if key not in order]
    return _judge_order(len(shown), len(old), [place for place, _ in anchors], others, last)


def _judge_order(shown: int, old: int, anchors: Sequence[int], others: Sequence[int], last: int) -> tuple[bool, str]:
    top = max(_pinnable(shown), others[0] if others else 0)
    below = next((place for place in anchors if place >= top), shown)  # what stands above may be pinned
    between = sum(below < place < last for place in others)
    if between > max(1, len(anchors) // 3):
        # new ones come in anywhere: by score, by hand, by the last answer
        is_proven = 2 * len(anchors) >= min(shown, old)
        return is_proven, "most of the last visit is left" if is_proven else "too little of the last visit is left"
    if not others or others[-1] < last:
        return True, "what came stands above what was there"
    # behind what was there stand others: they are older, unless all that is left is pinned above them
    if len(anchors) > _pinnable(shown):
        return True, "more of the last visit is left than is ever pinned"
    return False, "what is left may be pinned"


def _pinnable(shown: int) -> int:
    """Return how many records of a list may be pinned above the others without anybody knowing."""
    return max(2, shown // 5)


def _in_order(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most (place now, place then) whose order did not change: what moved up proves nothing."""
    ends: list[int] = []  # smallest last place of a chain of each length
    at: list[int] = []
    before: list[int] = []
    for number, (_, then) in enumerate(pairs):
        length = bisect_left(ends, then)
        if length == len(ends):
            ends.append(then)
            at.append(number)
        else:
            ends[length] = then
            at[length] = number
        before.append(at[length - 1] if length else -1)
    chain = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def next_newest(keys: Sequence[str], before: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys by which the next visit proves that it missed none: those shown, then some shown before.

    Those shown before stand by in case that many of the others are deleted.
    """
    shown = list(dict.fromkeys(keys))
    if not shown:
        return tuple(before)
    kept = list(dict.fromkeys([*shown, *before]))
    return tuple(kept[: min(2 * len(shown), LIMITS.region_keys)])


def next_sticky(
    keys: Sequence[str], known: Collection[str], newest: Sequence[str], sticky: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the keys of records that are pinned above newer ones; one that sinks like all others is not any more."""
    shown = list(dict.fromkeys(keys))
    most = _pinnable(len(shown))
    order = frozenset(newest)
    first = next((place for place, key in enumerate(shown) if key not in order and key not in known), len(shown))
    above = shown[:first] if 0 < first <= most and all(key in order for key in shown[:first]) else []
    stayed = [key for key in shown[:most] if key in sticky]
    return tuple(dict.fromkeys([*stayed, *above]))


def merge_pages(pages: Iterable[Sequence[str]]) -> list[str]:
    """Return the keys of the pages of a list one behind the other, each once: while they are read, records move on."""
    return list(dict.fromkeys(key for page in pages for key in page))


GONE_AFTER = 5  # visits in a row without a region, after which it is called gone
_SHORTEST = 3  # records of a list that asks for visits beside others
_TRIES = 5  # visits that try to close a gap, then what is missing counts as lost


@dataclass(slots=True)
class TrackedList:
    """One list during one visit."""

    number: int
    region: RecordList  # as the first page shows it
    keys: list[str]  # of its records, those of older pages behind
    records: list[Record]
    rank: int
    row: ListRow | None  # None: never seen before
    newest: tuple[str, ...]  # what proves that nothing was missed
    overlap: Overlap
    shown: int
    older: set[str] = field(default_factory=set)  # keys that only older pages still had
    pages: int = 0  # older ones that were read for it
    is_stuck: bool = False  # older pages bring nothing more of it
    adopted: ListRow | None = None  # the missing region whose records it is to be proven by
    is_drained: bool = False  # what leaves it stands in a larger list of the page: nothing is lost by that
    is_stranger: bool = False  # it was not chosen, but may prove to be one that was

    @property
    def name(self) -> str:
        return f"{self.region.kind} {self.number}"

    @property
    def is_first(self) -> bool:
        return self.row is None and not self.newest

    @property
    def has_gap(self) -> bool:
        return bool(self.newest) and not self.overlap.is_proven and not self.is_drained

    @property
    def proves_missing(self) -> bool:
        """Whether it goes on where a missing one ended."""
        return self.adopted is not None and self.row is None and self.overlap.is_proven

    @property
    def shown_keys(self) -> list[str]:
        """What the first page shows, each once."""
        return list(dict.fromkeys(self.keys))[: self.shown]


class TrackedLists:
    """The lists of one page during one visit."""

    def __init__(self, rows: Sequence[ListRow], notes: Notes, options: ListOptions) -> None:
        self.rows = watched_rows(rows, notes, options)
        self.notes = notes
        self.options = options
        self.tracks: list[TrackedList] = []
        self.missing: list[ListRow] = []
        self.requests = 1
        self.is_broken_off = False  # older pages could not be read to the end
        self._known: set[str] = set()  # keys the archive has
        self._all_rows = rows  # those too that are watched no longer
        self._next_number = max((row.number for row in rows), default=0) + 1

    @property
    def is_chosen_anew(self) -> bool:
        """Whether the page is to be read whole since other lists are wanted of it than at the last visit."""
        if not self.options.regions:
            return bool(self.notes.others)
        return bool(unfound(self.notes, self.options))

    def choose(self, regions: Sequence[RecordList], keys: Sequence[Sequence[RecordKey]]) -> list[Picked]:
        """Return the regions of the page that were chosen; `begin` takes them."""
        plain = [[one.key for one in ours] for ours in keys]
        return pick(regions, plain, self._all_rows, self.notes, self.options)

    def begin(
        self,
        regions: Sequence[RecordList],
        keys: Sequence[Sequence[RecordKey]],
        picked: Sequence[Picked] | None = None,
    ) -> None:
        """Take the regions of the page itself; where lists were chosen, those that were picked."""
        plain = self._learn_keys(keys)
        if picked is None:
            picked = self._know(regions, plain)
        for one, ours in zip(picked, plain, strict=True):
            track = self._track(one.region, ours, one.rank, one.row)
            track.is_stranger = not one.is_chosen
            self.tracks.append(track)
            self.notes.chosen |= dict.fromkeys(one.codes, track.number)
        taken = {track.number for track in self.tracks if track.row is not None}
        self.missing = [row for row in self.rows if row.number not in taken]
        self._adopt()

    def _know(self, regions: Sequence[RecordList], keys: list[list[str]]) -> list[Picked]:
        """Know the regions again where all of the page are meant."""
        self.notes.others = ()
        found = know_again(regions, keys, [known_row(row) for row in self.rows])
        rows = [None if index is None else self.rows[index] for index in found]
        return [Picked(region, rank, row) for rank, (region, row) in enumerate(zip(regions, rows, strict=True))]

    def drop_strangers(self) -> None:
        """Leave out what was not chosen and did not prove to be anything that was."""
        dropped = [track for track in self.tracks if track.is_stranger and not track.proves_missing]
        self.tracks = [track for track in self.tracks if track not in dropped]
        if not self.is_broken_off:  # else the next visit tries again
            others = [describe_list(track.region, track.shown_keys, track.rank + 1) for track in dropped]
            self.notes.others = tuple([*others, *self.notes.others][:MOST])

    def _track(self, region: RecordList, keys: list[str], rank: int, row: ListRow | None) -> TrackedList:
        newest = row.newest if row is not None else ()
        number = row.number if row is not None else self._next_number
        self._next_number += row is None
        overlap = judge_overlap(keys, self._known, newest, row.sticky if row is not None else ())
        track = TrackedList(number, region, keys, list(region.records), rank, row, newest, overlap, len(set(keys)))
        track.is_drained = row is not None and self.notes.is_drained(number)
        return track

    def _adopt(self) -> None:
        """Let the largest unknown region answer for what a missing one showed last.

        A page that was redesigned while everything on it changed cannot be known again; but its records still can,
        further back.
        """
        is_free = not self.options.regions  # else one that was chosen is itself, and no other
        unknown = [track for track in self.tracks if track.row is None and (is_free or track.is_stranger)]
        lately = [row for row in self.missing if row.missing < GONE_AFTER and row.newest]
        if not unknown or not lately:
            return
        track = max(unknown, key=lambda one: one.shown)
        row = max(lately, key=lambda one: len(one.newest))
        track.newest, track.adopted = row.newest, row
        track.overlap = judge_overlap(track.keys, self._known, row.newest, row.sticky)

    def _learn_keys(self, keys: Sequence[Sequence[RecordKey]]) -> list[list[str]]:
        self._known.update(one.key for ours in keys for one in ours if one.is_known)
        return [[one.key for one in ours] for ours in keys]

    # -- older pages ---------------------------------------------------------------------------------------------------

    @property
    def wants_older(self) -> bool:
        """Whether something may have been missed that older pages still have."""
        return any(self._is_wanted(track) for track in self.tracks)

    @property
    def wants_proof(self) -> bool:
        """Whether it is yet to be seen that older pages go on where the first ends: on the first visit, once."""
        return not self.rows and any(track.is_first and not track.pages for track in self.tracks)

    def _is_wanted(self, track: TrackedList) -> bool:
        return track.has_gap and not track.is_stuck and self.notes.may_have_older(track.number)

    def add_older(self, regions: Sequence[RecordList], keys: Sequence[Sequence[RecordKey]]) -> None:
        """Take an older page; what it shows of lists that nobody asked about is left alone."""
        plain = self._learn_keys(keys)
        wanted = [track for track in self.tracks if self._is_wanted(track) or track.is_first]
        rivals = [one.known() for one in self.notes.others]
        found = know_again(regions, plain, [*(_known_now(track) for track in wanted), *rivals])
        grown: set[int] = set()
        for region, ours, index in zip(regions, plain, found, strict=True):
            if index is not None and index < len(wanted) and self._grow(wanted[index], region, ours):
                grown.add(index)
        for index, track in enumerate(wanted):
            track.pages += 1
            if index not in grown:
                track.is_stuck = True
        self._trade()

    def _trade(self) -> None:
        """Let two lists trade places where older pages show that each was taken for the other.

        After a redesign in a time in which everything on the page changed, nothing else can tell them apart.
        """
        lost = [track for track in self.tracks if track.has_gap and track.row is not None]
        for track in lost:
            keys = set(track.keys)
            for other in lost:
                if other is not track and track.has_gap and keys.intersection(other.newest):
                    track.number, other.number = other.number, track.number
                    track.row, other.row = other.row, track.row
                    track.newest, other.newest = other.newest, track.newest
                    self._judge(track)
                    self._judge(other)

    def _judge(self, track: TrackedList) -> None:
        sticky = track.row.sticky if track.row is not None else ()
        track.overlap = judge_overlap(track.keys, self._known, track.newest, sticky)

    def _grow(self, track: TrackedList, region: RecordList, keys: Sequence[str]) -> bool:
        """Put the records of an older page behind those that are there; False where it has none that are not."""
        added = merge_pages([track.keys, keys])[len(set(track.keys)) :]
        if not added:
            return False
        records = dict(zip(keys, region.records, strict=True))
        track.keys += added
        track.records += [records[key] for key in added]
        track.older.update(added)
        self._judge(track)
        return True

    # -- the end of a visit --------------------------------------------------------------------------------------------

    def regions(self) -> tuple[RecordList, ...]:
        """Return the regions with the records of older pages in them, to be archived."""
        return tuple(replace(track.region, records=tuple(track.records)) for track in self.tracks)

    def is_new(self, key: str) -> bool:
        return key not in self._known

    def settle(self, at: float) -> tuple[Looked, ...]:
        """Tell every estimator what was seen, and return what is to be kept of each region."""
        for track in self.tracks:
            self._take_over(track)
            self._note_departed(track)
        credited = self._credit()
        looked = [self._settle(track, credited.get(track.number, set()), at) for track in self.tracks]
        return (*looked, *self.gone())

    def gone(self) -> tuple[Looked, ...]:
        """Return what is to be kept where none of the lists was there."""
        return tuple(map(_not_seen, self.missing))

    def _take_over(self, track: TrackedList) -> None:
        """Let a list that was proven to be a missing one go on as that."""
        row = track.adopted
        if row is not None and track.proves_missing:
            track.row, track.number = row, row.number
            self.missing = [other for other in self.missing if other is not row]

    def _note_departed(self, track: TrackedList) -> None:
        """Note whether what left a list stands in a larger one of the page now, as on fronts it often does."""
        if track.row is None:
            return
        departed = set(track.row.newest[: track.row.shown]) - set(track.keys)
        larger = [one for one in self.tracks if (one.shown, -one.rank) > (track.shown, -track.rank)]
        kept = departed.intersection(key for one in larger for key in one.keys)
        self.notes.note_departed(track.number, len(departed), len(kept))

    def unchanged(self, at: float) -> tuple[Looked, ...]:
        """Return what is to be kept where the server said that nothing changed."""
        return tuple(self._settle_unchanged(row, at) for row in self.rows if not row.missing)

    def _credit(self) -> dict[int, set[str]]:
        """Give each new record to the largest list that shows it: leaving a smaller box beside, it is not gone."""
        holder: dict[str, TrackedList] = {}
        for track in sorted(self.tracks, key=lambda one: one.shown):
            for key in track.keys:
                if key not in self._known:
                    holder[key] = track
        credited: dict[int, set[str]] = {}
        for key, track in holder.items():
            credited.setdefault(track.number, set()).add(key)
        return credited

    def _settle(self, track: TrackedList, new: set[str], at: float) -> Looked:
        is_open = self._close(track)
        seen = Observation(
            at,
            track.shown,
            len(new),
            is_full=track.has_gap,
            since_s=_since_s(track.row, at),
            published=_published(track, new, at),
            requests=1 + track.pages,
        )
        plan, estimator = self._plan(track.number, track.row, seen)
        lost = 0 if not track.has_gap or is_open else _lost(plan, seen, self.options.goals.ceiling_s)
        recovered = sum(key in track.older for key in new) if not track.is_first else 0
        row = track.row
        keys = track.shown_keys
        return Looked(
            track.number,
            seen,
            plan if self._matters(track) else None,
            track.name,
            track.region.kind,
            track.region.pattern,
            track.region.columns,
            describe(track.region),
            track.rank,
            track.newest if is_open else next_newest(keys, row.newest if row else ()),
            next_sticky(keys, self._known, row.newest if row else (), row.sticky if row else ()),
            known=sum(key in self._known for key in keys),
            recovered=recovered,
            lost=lost,
            has_gap=is_open,
            estimator=estimator,
        )

    def _matters(self, track: TrackedList) -> bool:
        """Say whether a list is to be visited for its own sake: not where its records go on into a longer one.

        Nor where it has one or two records beside a real list: to miss none of those a page must be visited all day.
        """
        is_alone = all(other.shown < _SHORTEST for other in self.tracks)
        is_longest = track.shown == max(other.shown for other in self.tracks)
        return is_longest or (not track.is_drained and (track.shown >= _SHORTEST or is_alone))

    def _close(self, track: TrackedList) -> bool:
        """Note what older pages were good for; return whether a gap stays open, to be closed by the next visit."""
        if track.pages and track.is_first:
            self.notes.note_older(track.number, helped=2 * len(track.older) >= track.shown)
        elif track.pages and not self.is_broken_off:
            self.notes.note_older(track.number, helped=not track.has_gap)
        tries = self.notes.tries.pop(track.number, 0)
        if not track.has_gap or not self.is_broken_off or tries >= _TRIES:
            return False
        self.notes.tries[track.number] = tries + 1
        return True

    def _settle_unchanged(self, row: ListRow, at: float) -> Looked:
        seen = Observation(at, row.shown, since_s=_since_s(row, at))
        plan, estimator = self._plan(row.number, row, seen)
        return replace(_not_seen(row), seen=seen, plan=plan, known=row.shown, estimator=estimator)

    def _plan(self, number: int, row: ListRow | None, seen: Observation) -> tuple[VisitPlan, str]:
        recovers = self.options.older_pages > 0 and number in self.notes.paged
        goals = replace(self.options.goals, recovers=recovers)
        estimator = make_policy(self.options.policy, goals, json.loads(row.estimator) if row is not None else None)
        estimator.note(seen)
        return estimator.plan(seen.at), json.dumps(estimator.to_plain())


def _known_now(track: TrackedList) -> KnownList:
    region = track.region
    return KnownList(
        track.number, region.pattern, region.kind, region.columns, describe(region), tuple(track.keys), track.rank
    )


def _not_seen(row: ListRow) -> Looked:
    """Return a region as it was."""
    return Looked(
        row.number,
        None,
        None,
        row.name,
        row.kind,
        row.pattern,
        row.columns,
        row.shapes,
        row.rank,
        row.newest,
        row.sticky,
        has_gap=row.has_gap,
        estimator=row.estimator,
    )


def _since_s(row: ListRow | None, at: float) -> float | None:
    """Return the time since a region was last seen; None where a clock that jumped makes it nonsense."""
    if row is None or row.seen_at is None:
        return None
    since_s = at - row.seen_at.timestamp()
    return since_s if since_s > 0.0 else None


def _published(track: TrackedList, new: set[str], at: float) -> tuple[float, ...]:
    whole = replace(track.region, records=tuple(track.records))
    times = published_times(whole, at)
    return tuple(moment for key, moment in zip(track.keys, times, strict=True) if moment is not None and key in new)


def _lost(plan: VisitPlan, seen: Observation, ceiling_s: float) -> int:
    """Return how many records more were to be expected than were seen, since nothing known was left.

    0 where nobody can tell, since the machine slept or somebody set its clock.
    """
    if seen.since_s is None or seen.since_s > OUTAGE_CEILINGS * ceiling_s:
        return 0
    return max(0, round(plan.rate * seen.since_s / 86_400.0) - seen.new)
