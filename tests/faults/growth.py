"""How time grows with size: work and a size come in, a verdict goes out that does not depend on the machine's speed."""

import gc
import time
from collections.abc import Callable

TIMES = 4  # the large input is so many times the small one
WORST = 2.2  # times linear growth; squared growth is 4 times that
SLACK_S = 0.01  # what a clock may add


def is_linear(work: Callable[[int], object], size: int, tries: int = 5, slack_s: float = SLACK_S) -> bool:
    """Say whether the work for 4 times the size takes about 4 times as long: the best of some tries, in CPU time."""
    small = large = float("inf")
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            small = min(small, seconds(work, size))
            large = min(large, seconds(work, TIMES * size))
            if large <= WORST * TIMES * small + slack_s:
                return True
    finally:
        if was_on:
            gc.enable()
    return False


def seconds(work: Callable[[int], object], size: int) -> float:
    """Return the CPU seconds that the work takes once."""
    gc.collect()
    began = time.process_time()
    work(size)
    return time.process_time() - began
