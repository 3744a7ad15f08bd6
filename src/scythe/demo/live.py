"""Serve a list that grows while one looks at it: a pace comes in, a news page gets stories at it until interrupted."""

from __future__ import annotations

import sys
import threading
import time
from random import Random

from scythe.demo.replay import ListPage, Pace, Replay, Shelf
from scythe.demo.replay_serve import serve_replay

_BEFORE = 60  # stories that are there at the start
_BEFORE_S = 1_200.0  # between two of them
_LONGEST_S = 12 * 3_600.0
_SHOWN = 12


def live_site(every_s: float, seed: int = 1, *, now: float | None = None) -> Replay:
    """Plan a site whose one list gets a story every so many seconds, more or less, from now on for half a day."""
    begin = time.time() if now is None else now
    random = Random(seed)
    arrivals = [begin - _BEFORE_S * number for number in range(_BEFORE, 0, -1)]
    moment = begin
    while moment < begin + _LONGEST_S:
        moment += random.uniform(0.5, 1.5) * every_s
        arrivals.append(moment)
    shelf = Shelf("latest", "Latest news", tuple(arrivals), _SHOWN)
    return Replay(Pace(begin, begin, 1.0), (shelf,), (ListPage("/latest/", ("latest",)),), seed=seed)


def serve_live(every_s: float, seed: int = 1) -> None:
    """Serve such a site until interrupted; its address goes to standard output."""
    with serve_replay(live_site(every_s, seed)) as served:
        sys.stdout.write(f"{served.urls[0]}\n")
        sys.stdout.flush()
        threading.Event().wait(_LONGEST_S)
