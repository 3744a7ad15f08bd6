"""Say what a benchmark ran on: nothing comes in, facts to print beside the numbers go out."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from bench.peers import PEERS, release
from scythe.reading.text.network import COMPILED

PARTS = ("stringzilla", "lxml", "beautifulsoup4")  # what `bench cut` times besides


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, the interpreter and the packages whose speed or output decides the numbers."""

    python: str
    system: str
    processor: str
    cpus: int
    packages: tuple[tuple[str, str], ...]  # name, version; only what is installed; how blocks are scored

    def summary(self) -> str:
        """Return all facts in one line."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages)
        return f"Python {self.python}, {self.system}, {self.cpus} x {self.processor}; {packages}"


def describe_machine() -> Machine:
    """Collect the facts."""
    packages = [(name, release(name)) for name in ("scythe", "selectolax", "numpy", *PEERS, *PARTS)]
    packages.insert(1, ("scoring", "compiled" if COMPILED else "with numpy"))
    return Machine(
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        processor=_processor(),
        cpus=os.cpu_count() or 1,
        packages=tuple((name, number) for name, number in packages if number),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return model or platform.processor() or "CPU"
