"""Who holds a lane: one process, told from every other one that has, or had, the same number."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from secrets import token_hex

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process on one machine; `token` tells two users inside a process apart."""

    machine: str
    pid: int
    started: str  # when the process began, as the system counts; empty where it does not say
    token: str

    @classmethod
    def of_this_process(cls) -> Owner:
        """Return a new owner in this process."""
        return cls(this_machine(), os.getpid(), _started(os.getpid()), token_hex(8))

    def another(self) -> Owner:
        """Return another owner in the same process."""
        return replace(self, token=token_hex(8))

    @classmethod
    def from_text(cls, text: str) -> Owner:
        """Read what `to_text` wrote."""
        machine, pid, started, token = text.rsplit("|", 3)
        return cls(machine, int(pid), started, token)

    def to_text(self) -> str:
        return f"{self.machine}|{self.pid}|{self.started}|{self.token}"

    def is_alive(self) -> bool:
        """Say whether the process runs; of another machine nobody can tell, so it counts as running."""
        if self.machine != this_machine():
            return True
        if _PROC.is_dir():
            return _started(self.pid) == self.started
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it is another user's, and it runs
            return True
        return True


@cache
def this_machine() -> str:
    """Name this machine since it was started, and the space its process numbers are counted in.

    Containers share the name of the boot, and often the host name, but not the process numbers.
    """
    parts = [platform.node()]
    try:
        parts.append((_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(str((_PROC / "self/ns/pid").stat().st_ino))
    except OSError:  # no Linux: the host name has to do
        pass
    return "/".join(parts)


def _started(pid: int) -> str:
    """Return when process `pid` began, in clock ticks since boot; empty if it has ended or the system has no /proc."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = stat[stat.rfind(")") + 1 :].split()  # the name before may hold spaces and parentheses
    return "" if state in "ZX" else rest[18]
