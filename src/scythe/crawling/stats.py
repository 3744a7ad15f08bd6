"""Count the results of a crawl."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import monotonic

from scythe.crawl_model import Extracted, Outcome, Receipt
from scythe.site.learning_cost import LearningCost

_RECENT_S = 10.0  # over which the present speed is taken


@dataclass(slots=True)
class CrawlStats:
    """What happened so far. Only the crawl changes it; whoever shows it may read it at any moment."""

    began: float = field(default_factory=monotonic)
    pages: int = 0  # of this site in the archive, earlier runs included
    stored: Counter[str] = field(default_factory=Counter)  # of this run, by what the archive made of them
    states: Counter[str] = field(default_factory=Counter)  # of this run, by the state of the address
    why: Counter[str] = field(default_factory=Counter)  # what kept addresses from becoming pages, for good
    skipped: Counter[str] = field(default_factory=Counter)  # addresses found and not taken, by the reason
    fields: Counter[str] = field(default_factory=Counter)  # cut, tree, missing, of learned sites
    how: Counter[str] = field(default_factory=Counter)  # pages by cut, tree, mixed, cold
    requests: int = 0
    received: int = 0  # bytes
    found: int = 0
    records: int = 0
    sightings: int = 0
    waiting: int = 0  # addresses still to be asked for
    profiles: int = 0  # times that what was learned changed
    drift: int = 0  # things that stopped matching
    delay_s: float = 0.0  # at present, of the host last asked
    is_learned: bool = False
    learning: LearningCost | None = None  # what it has cost and saved, once the run has ended
    notes: list[str] = field(default_factory=list)  # for people, in the order they came up
    ended: float | None = None
    _recent: list[tuple[float, int]] = field(default_factory=list)

    def take(self, outcome: Outcome, receipt: Receipt) -> None:
        """Count one visit that is in the archive now."""
        self.states[outcome.state] += 1
        if outcome.status is not None:
            self.requests += 1
        self.received += outcome.size
        self.found += receipt.found
        self.records += receipt.records
        self.sightings += receipt.sightings
        if receipt.stored:
            self.stored[receipt.stored] += 1
        if receipt.stored in ("new", "duplicate", "cut"):
            self.pages += 1
        if outcome.why and outcome.state in ("failed", "gone", "refused", "skipped", "other"):
            self.why[outcome.why] += 1
        if outcome.extracted is not None:
            self._take_extracted(outcome.extracted)

    def _take_extracted(self, extracted: Extracted) -> None:
        self.how[extracted.how] += 1
        if extracted.how != "cold":
            self.fields["cut"] += extracted.cut_fields
            self.fields["tree"] += extracted.tree_fields
            self.fields["missing"] += extracted.missing_fields

    def note(self, text: str) -> None:
        """Keep something that people should know, once."""
        if text not in self.notes and len(self.notes) < 100:
            self.notes.append(text)

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return (self.ended if self.ended is not None else monotonic()) - self.began

    @property
    def done(self) -> int:
        """Pages of this run that are in the archive."""
        return sum(self.stored[kind] for kind in ("new", "changed", "same", "duplicate", "cut"))

    @property
    def errors(self) -> int:
        """Addresses that failed for good in this run."""
        return self.states["failed"]

    def pages_per_second(self) -> float:
        """How many pages a second came in lately."""
        now = monotonic()
        self._recent.append((now, self.done))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RECENT_S:
            self._recent.pop(0)
        since, before = self._recent[0]
        return (self.done - before) / (now - since) if now - since > 0.5 else self.done / max(self.seconds, 0.001)

    def cut_share(self) -> float | None:
        """The share of delivered fields that were cut out of bytes; None while nothing is learned."""
        delivered = self.fields["cut"] + self.fields["tree"]
        return self.fields["cut"] / delivered if delivered else None
