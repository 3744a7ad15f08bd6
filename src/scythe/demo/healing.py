"""What a redesign did to a crawl, and when it was over: steps come in, pages until noticed and until healed go out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from scythe.demo.steps import Step

WINDOW = 10  # pages that are looked at together
ENOUGH = 40  # pages in the new design before it can be asked of them to be cut again
_SICK, _WELL = 0.5, 0.9  # of the share that was cut before: below something is wrong, from there on all is well


@dataclass(frozen=True, slots=True)
class Redesign:
    """What a change of design in the middle did. Pages are those of the new design, the first one is 1."""

    after: int  # pages before
    pages: int  # that came after
    before: float  # share of fields that were cut, since the site was learned
    soon: float  # on the first pages after
    later: float  # since it was healed; where it was not, on those that came still later
    noticed: int | None  # the first page that the rules did not fit
    healed: int | None  # pages until they were cut nearly as before
    f1: float | None = None  # of the text on the pages until then; None: they have none, or it was not compared
    log: tuple[str, ...] = ()  # what the profile says was noticed and learned

    @property
    def is_over(self) -> bool:
        """Whether it did no harm any more at the end, as far as there were enough pages to tell."""
        return self.noticed is None or self.healed is not None or self.pages < ENOUGH


def judge_redesign(
    steps: Sequence[Step], log: Iterable[str] = (), f1: Mapping[str, float] | None = None
) -> Redesign | None:
    """Say what a redesign did to the share of fields that were cut; None where there was none, or nothing learned.

    `f1` has that of the text by path.
    """
    before = [step.share for step in steps if step.how != "cold" and step.design == 0]
    after = [step for step in steps if step.design == 1]
    if not before or not after:
        return None
    usual = fmean(before)
    shares = [step.share for step in after]
    noticed = next((at for at, share in enumerate(shares, start=1) if share < _SICK * usual), None)
    healed = None if noticed is None else _first_well(shares, noticed, _WELL * usual)
    scores = [f1[step.path] for step in after[: healed or len(after)] if f1 and step.path in f1]
    return Redesign(
        after=len(steps) - len(after),
        pages=len(after),
        before=usual,
        soon=fmean(shares[:WINDOW]),
        later=fmean(shares[(WINDOW if healed is None else healed) :] or shares),
        noticed=noticed,
        healed=healed,
        f1=fmean(scores) if scores else None,
        log=tuple(log),
    )


def _first_well(shares: Sequence[float], since: int, wanted: float) -> int | None:
    """Return the pages until the first window whose share is high enough again."""
    ends = range(since, len(shares) - WINDOW + 1)
    return next((at for at in ends if fmean(shares[at : at + WINDOW]) >= wanted), None)
