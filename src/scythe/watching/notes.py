"""What the watch of one page keeps in mind between visits, beside its regions: plain values, kept as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from scythe.errors import BadInput
from scythe.watching.chosen import Chosen

_ENOUGH = 6  # records that left a region, before anything is made of it
_LATELY = 40
_MOST = 0.8  # of them
_IDLE = 2  # times in a row that older pages were of no use, after which they are not asked for again


@dataclass(slots=True)
class Notes:
    """Which regions have older pages, how often a gap could not be closed, and which regions choices mean."""

    idle: dict[int, int] = field(default_factory=dict)  # region -> how often older pages brought nothing
    paged: set[int] = field(default_factory=set)  # regions whose older pages go on where the first ends
    tries: dict[int, int] = field(default_factory=dict)  # region -> visits that failed to close its gap
    gone: dict[int, int] = field(default_factory=dict)  # region -> records that left it lately
    kept: dict[int, int] = field(default_factory=dict)  # and how many of these a larger list of the page still showed
    chosen: dict[str, int] = field(default_factory=dict)  # code of a choice -> the region that it means
    others: tuple[Chosen, ...] = ()  # regions that were not chosen, as they were last seen

    def may_have_older(self, number: int) -> bool:
        return self.idle.get(number, 0) < _IDLE

    def note_older(self, number: int, *, helped: bool) -> None:
        """Remember whether older pages went on with a region."""
        if helped:
            self.paged.add(number)
            self.idle.pop(number, None)
            return
        self.idle[number] = self.idle.get(number, 0) + 1
        self.paged.discard(number)

    def is_drained(self, number: int) -> bool:
        """Say whether what leaves a region goes on into a larger one."""
        gone = self.gone.get(number, 0)
        return gone >= _ENOUGH and self.kept.get(number, 0) >= _MOST * gone

    def note_departed(self, number: int, gone: int, kept: int) -> None:
        """Remember what became of records that left a region; what was long ago counts less."""
        gone, kept = gone + self.gone.get(number, 0), kept + self.kept.get(number, 0)
        if gone > _LATELY:
            gone, kept = gone // 2, kept // 2
        if gone:
            self.gone[number], self.kept[number] = gone, kept

    def to_json(self) -> str:
        """Write them as they are kept in an archive."""
        plain: dict[str, object] = {"idle": self.idle, "paged": sorted(self.paged), "tries": self.tries}
        plain |= {"gone": self.gone, "kept": self.kept, "chosen": self.chosen}
        plain["others"] = [asdict(one) for one in self.others]
        return json.dumps({name: value for name, value in plain.items() if value})

    @classmethod
    def from_json(cls, text: str) -> Notes:
        """Read what `to_json` wrote; damaged notes are none."""
        try:
            plain = json.loads(text or "{}")
            idle, tries, gone, kept = (_counts(plain.get(name)) for name in ("idle", "tries", "gone", "kept"))
            chosen = {str(code): int(number) for code, number in plain.get("chosen", {}).items()}
            others = tuple(map(Chosen.from_plain, plain.get("others", ())))
            return cls(idle, set(map(int, plain.get("paged", ()))), tries, gone, kept, chosen, others)
        except (ValueError, TypeError, AttributeError, BadInput):
            return cls()


def _counts(plain: dict[str, int] | None) -> dict[int, int]:
    return {int(number): int(count) for number, count in (plain or {}).items()}
