"""The pages of the demo site in the order of the crawl: what was visited and the server's log come in, steps go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.demo.crawled import Crawled
from scythe.demo.protocol import Request
from scythe.demo.world import World
from scythe.visits import Extracted


@dataclass(frozen=True, slots=True)
class Step:
    """One page of the site in the order of the crawl."""

    path: str
    how: str  # cold, cut, mixed, tree
    design: int  # 0: the first one
    share: float  # of its fields that were cut


def order_steps(world: World, crawled: Crawled, log: Sequence[Request], redesign_after: int | None) -> tuple[Step, ...]:
    """Return the pages of the ledger as they came in, with the design each was served in.

    `redesign_after` counts the requests before it. A page that was asked for twice came with the second request: a run
    that is stopped leaves some behind.
    """
    last = {request.target: number for number, request in enumerate(log)}
    own = set(world.paths)
    steps = []
    for visit in crawled.visited:
        if visit.path in own and visit.extracted is not None:
            is_new = redesign_after is not None and last.get(visit.path, 0) >= redesign_after
            steps.append(Step(visit.path, visit.extracted.how, int(is_new), _share(visit.extracted)))
    return tuple(steps)


def _share(extracted: Extracted) -> float:
    delivered = extracted.cut_fields + extracted.tree_fields
    return extracted.cut_fields / delivered if delivered else 0.0
