"""Processes under a soak: a command comes in; what its processes use, what they said and how they ended goes out."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.trial_runs import ENVIRONMENT, ROOT, descendants, left_behind

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_MB = 1024.0  # in the KB that the system counts in
_END_S = 90.0


@dataclass(frozen=True, slots=True)
class Used:
    """What a process and its children use together."""

    rss_mb: float = 0.0
    pss_mb: float = 0.0  # pages that several processes share are counted in parts
    anonymous_mb: float = 0.0  # what no file stands behind: where leaks are
    handles: int = 0
    threads: int = 0
    processes: int = 0
    cpu_s: float = 0.0
    temporary: int = 0  # files and folders


def measure(pid: int, temporary: Path) -> Used:
    """Measure a process with its children; those that end meanwhile count for nothing."""
    parts = [found for one in (pid, *descendants(pid)) if (found := _measure_one(one)) is not None]
    sums = [sum(values) for values in zip(*parts, strict=True)] if parts else [0.0] * 6
    rss, pss, anonymous, handles, threads, cpu_s = sums
    return Used(
        round(rss, 3),
        round(pss, 3),
        round(anonymous, 3),
        int(handles),
        int(threads),
        len(parts),
        round(cpu_s, 2),
        count_files(temporary),
    )


def _measure_one(pid: int) -> tuple[float, ...] | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
        sizes = {line.split(":")[0]: int(line.split()[1]) / _MB for line in lines}
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        handles = len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, IndexError, ValueError):
        return None
    cpu_s = (int(fields[11]) + int(fields[12])) * _TICK_S
    return sizes["Rss"], sizes["Pss"], sizes["Anonymous"], handles, int(fields[17]), cpu_s


def count_files(folder: Path) -> int:
    """Count files and folders below a folder."""
    return sum(1 for _ in folder.rglob("*"))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    code: int
    peak_mb: float  # of the largest of its processes


class Watched:
    """A command that runs in a group of its own, with its temporary files in a folder of its own."""

    def __init__(self, name: str, arguments: Sequence[str], folder: Path, **more: str) -> None:
        self.name = name
        self.temporary = folder / f"temporary-{name}"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.output, self.complaints = folder / f"{name}.out", folder / f"{name}.err"
        self.ended: Ended | None = None
        self._read = 0
        source = os.pathsep.join(filter(None, (str(ROOT / "src"), ENVIRONMENT.get("PYTHONPATH"))))
        with self.output.open("ab") as out, self.complaints.open("ab") as err:
            self._read = err.tell()
            self._process = subprocess.Popen(
                ["nice", "-n", "5", *arguments] if os.nice(0) < 5 else list(arguments),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env=ENVIRONMENT | {"TMPDIR": str(self.temporary), "PYTHONPATH": source} | more,
            )
        self.pid = self._process.pid

    def poll(self) -> bool:
        """Tell whether it has ended."""
        if self.ended is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self._process.returncode = code
                self.ended = Ended(code, round(usage.ru_maxrss / _MB, 2))
        return self.ended is not None

    def used(self) -> Used:
        """Measure it."""
        return measure(self.pid, self.temporary)

    def said(self) -> list[str]:
        """Return what it complained of since it was asked last."""
        with self.complaints.open("rb") as lines:
            lines.seek(self._read)
            new = lines.read()
        self._read += len(new)
        return [line for line in new.decode(errors="replace").splitlines() if line.strip()]

    def end(self) -> Ended:
        """Interrupt it as Ctrl-C does, and wait; what does not end is killed, which its exit code then says."""
        workers = descendants(self.pid)
        if not self.poll():
            os.killpg(self.pid, signal.SIGINT)
        until = time.monotonic() + _END_S
        while not self.poll() and time.monotonic() < until:
            time.sleep(0.05)
        if not self.poll():
            os.killpg(self.pid, signal.SIGKILL)
            while not self.poll():
                time.sleep(0.05)
        left_behind(workers)
        assert self.ended is not None
        return self.ended
