"""Watch pages by a clock that runs faster.

The real engine, as `scythe watch` runs it, but for the clock. Events go to standard output, a JSON object per line.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from scythe.archive.open import open_archive
from scythe.watch_model import Goals
from scythe.watching.clock import Clock
from scythe.watching.events import Event, to_json
from scythe.watching.watch import Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions


async def _tell(event: Event) -> None:
    sys.stdout.write(to_json(event) + "\n")
    sys.stdout.flush()


async def _watch(said: argparse.Namespace) -> None:
    clock = Clock(said.speed, said.start, said.began)
    with open_archive(said.archive) as archive:
        goals = Goals(said.miss, said.max_delay)
        add_lists(archive, said.urls, ListOptions(said.policy, goals, older_pages=said.older), clock)
        options = WatchOptions(delay=0.0, allow_private=True, timeout_s=said.timeout)
        watch = Watch(archive, options, listener=_tell, clock=clock)
        left_s = clock.real_s(said.until - clock.seconds())
        loop = asyncio.get_running_loop()
        loop.call_later(max(left_s, 0.0), watch.stop)
        loop.add_signal_handler(signal.SIGTERM, watch.stop)
        await watch.run()


def main() -> None:
    """Watch as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.fromfile_prefix_chars = "@"
    parser.add_argument("urls", nargs="+", help="or @FILE with one in each line")
    parser.add_argument("--archive", required=True)
    parser.add_argument("--until", type=float, required=True, help="what the clock shows at the end")
    parser.add_argument("--speed", type=float, default=1_000.0)
    parser.add_argument("--start", type=float, required=True)
    parser.add_argument("--began", type=float, required=True)
    parser.add_argument("--policy", default="auto")
    parser.add_argument("--miss", type=float, default=0.01)
    parser.add_argument("--max-delay", type=float, help="seconds")
    parser.add_argument("--older", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=2.0)
    asyncio.run(_watch(parser.parse_args()))


if __name__ == "__main__":
    main()
