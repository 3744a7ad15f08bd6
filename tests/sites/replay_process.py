"""Replays served by a process of their own: `python -m tests.sites.replay_process REPLAY.json --ledger FILE`."""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import TextIO, TypeVar

from tests.sites.replay import ListPage, Outage, Replay, ReplayClock, ReplayList, ReplayRedesign
from tests.sites.replay_serve import ReplayRequest, ReplayServer, ServedReplay

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent.parent


def split_trace(arrivals: Sequence[float], parts: int, seed: int = 1) -> tuple[tuple[float, ...], ...]:
    """Deal the arrivals of one trace out over several lists, as sections of one paper share what is written."""
    random = Random(seed)
    dealt: tuple[list[float], ...] = tuple([] for _ in range(parts))
    for moment in arrivals:
        dealt[random.randrange(parts)].append(float(moment))
    return tuple(map(tuple, dealt))


def dump(replay: Replay, path: Path) -> None:
    """Write a replay to a file."""
    path.write_text(json.dumps(asdict(replay)), encoding="utf-8")


def load(path: Path) -> Replay:
    """Read a replay that `dump` wrote."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    return Replay(
        pace=ReplayClock(**plain["pace"]),
        shelves=_records(lambda **row: ReplayList(**row | {"arrivals": tuple(row["arrivals"])}), plain["shelves"]),
        pages=_records(lambda **row: ListPage(**row | {"shelves": tuple(row["shelves"])}), plain["pages"]),
        redesigns=_records(ReplayRedesign, plain["redesigns"]),
        outages=_records(Outage, plain["outages"]),
        seed=plain["seed"],
    )


def _records(make: Callable[..., T], rows: Iterable[dict[str, object]]) -> tuple[T, ...]:
    return tuple(make(**row) for row in rows)


@dataclass(frozen=True)
class ReplayProcess(ServedReplay):
    """A replay served by a process of its own."""

    ledger: Path

    @property
    def asked(self) -> list[ReplayRequest]:
        """Every request so far, in the order they came."""
        lines = self.ledger.read_text(encoding="utf-8").splitlines(keepends=True)
        return [ReplayRequest(**json.loads(line)) for line in lines if line.endswith("\n")]


@contextmanager
def serve_replay_process(replay: Replay, folder: Path) -> Iterator[ReplayProcess]:
    """Serve a replay from a process of its own until the block ends; `folder` takes its plan and its ledger."""
    plan, ledger = folder / "replay.json", folder / "ledger.jsonl"
    dump(replay, plan)
    ledger.touch()
    command = [
        sys.executable,
        "-m",
        "tests.sites.replay_process",
        str(plan.absolute()),
        "--ledger",
        str(ledger.absolute()),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line:
                raise OSError("the replay cannot be served")
            yield ReplayProcess(replay, tuple(json.loads(line)), ledger)
        finally:
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


async def _serve_here(replay: Replay, lines: TextIO) -> None:
    server = ReplayServer(replay, replay.pace.now, lambda asked: _write_down(asked, lines))
    await server.start()
    sys.stdout.write(json.dumps(server.bases) + "\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop()


def _write_down(asked: ReplayRequest, lines: TextIO) -> None:
    lines.write(json.dumps(asdict(asked)) + "\n")


def main() -> None:
    """Serve the replay that the command line names."""
    parser = argparse.ArgumentParser(description="Serve a replay on loopback until standard input ends.")
    parser.add_argument("replay", type=Path)
    parser.add_argument("--ledger", default=os.devnull, help="write every request to this file, a JSON object per line")
    said = parser.parse_args()
    with open(said.ledger, "a", buffering=1, encoding="utf-8") as lines:
        asyncio.run(_serve_here(load(said.replay), lines))


if __name__ == "__main__":
    main()
