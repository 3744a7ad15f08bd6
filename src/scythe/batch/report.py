"""What came of a batch: counts of one unit, as its manifest keeps them, and sums over all units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from scythe.batch.unit import Unit

if TYPE_CHECKING:
    from scythe.batch.learning import LearnReport

WAYS = ("cut", "mixed", "tree", "cold")  # how a document was got: by rules from bytes, in part, by the tree, unlearned
FAILURES = 100  # of one unit that are told one by one; all are counted


@dataclass(frozen=True, slots=True)
class Failure:
    """One record, or HTML file, that gave no row though it should have."""

    offset: int  # of the record in the WARC file, or number of the file in its unit
    why: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class UnitReport:
    """What came of one unit: responses = documents + skipped + failed."""

    unit: Unit
    responses: int = 0  # HTTP responses, or HTML files
    documents: int = 0  # rows, one for each page
    images: int = 0
    records: int = 0
    skipped: dict[str, int] = field(default_factory=dict)  # responses that are no pages, by reason
    others: dict[str, int] = field(default_factory=dict)  # WARC records that are no responses, by type
    failed: int = 0
    failures: tuple[Failure, ...] = ()  # the first ones
    damaged: int = 0  # stretches of the file in which no record could be read
    damages: tuple[Failure, ...] = ()  # the first ones
    how: dict[str, int] = field(default_factory=dict)  # documents by WAYS
    fields: dict[str, int] = field(
        default_factory=dict
    )  # wanted of learned pages, records included: cut, tree, missing
    body_bytes: int = 0  # of pages, unpacked
    cpu_s: float = 0.0
    files: dict[str, int] = field(default_factory=dict)  # written: size by path below the output folder
    profiles: dict[str, str] = field(default_factory=dict)  # digest of the profile by site; "": there was none
    why: str = ""  # the unit failed as a whole: nothing was written
    resumed: bool = False  # done by an earlier run

    def to_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        del plain["resumed"]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any], *, resumed: bool = False) -> UnitReport:
        several = {name: tuple(Failure(**each) for each in plain[name]) for name in ("failures", "damages")}
        return cls(**{**plain, **several, "unit": Unit.from_dict(plain["unit"])}, resumed=resumed)


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What came of all units."""

    units: tuple[UnitReport, ...]
    seconds: float = 0.0  # of extracting, in this run
    learned: LearnReport | None = None  # None: nothing was looked for

    def total(self, name: str) -> int:
        """Return the sum of a count over all units."""
        return sum(getattr(unit, name) for unit in self.units)

    def by_kind(self, name: str) -> Counter[str]:
        """Return the sums of counts by reason or kind: skipped, others, how, fields."""
        return _sum(getattr(unit, name) for unit in self.units)

    @property
    def cpu_s(self) -> float:
        return sum(unit.cpu_s for unit in self.units if not unit.resumed)

    @property
    def fresh_documents(self) -> int:
        """How many rows this run wrote itself."""
        return sum(unit.documents for unit in self.units if not unit.resumed)

    @property
    def broken(self) -> list[UnitReport]:
        """The units that failed as a whole."""
        return [unit for unit in self.units if unit.why]

    def cut_share(self) -> float | None:
        """Return the share of the fields of learned pages that were cut out of bytes; None where none were learned."""
        fields = self.by_kind("fields")
        asked = fields["cut"] + fields["tree"]
        return fields["cut"] / asked if asked else None


def _sum(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total
