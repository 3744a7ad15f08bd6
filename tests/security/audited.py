"""Run a real process and have everything written down that it does: a command comes in, its events go out."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HOOK = Path(__file__).parent / "audit"
ROOT = Path(__file__).resolve().parent.parent.parent
MARK = "scytheCanary"


@dataclass(frozen=True)
class Event:
    """One thing that a process did."""

    pid: int
    name: str
    about: list[str | int]


@dataclass(frozen=True)
class Audited:
    """What a process and its children did."""

    done: subprocess.CompletedProcess[str]
    events: list[Event] = field(repr=False)

    def of(self, *names: str) -> list[Event]:
        """Return the events of these names."""
        return [event for event in self.events if event.name in names]

    @property
    def written(self) -> set[str]:
        """Every path that was opened to be written, made, moved or removed."""
        names = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate")
        paths = {str(event.about[0]) for event in self.of(*names, "sqlite3.connect")}
        return paths | {str(event.about[1]) for event in self.of("os.rename")}


@dataclass(frozen=True)
class Place:
    """Where an audited process runs: a home, a folder to work in and one for temporary files, all of them empty."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("home", "here", "temporary"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    @property
    def here(self) -> Path:
        """The folder that it works in."""
        return self.folder / "here"

    def run(self, *command: str, **environment: str) -> Audited:
        """Run Python with these arguments."""
        log = self.folder / f"events-{len(list(self.folder.glob('events-*')))}"
        paths = [str(HOOK), str(ROOT / "src"), str(ROOT)]
        plain = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "temporary"),
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SCYTHE_AUDIT": str(log),
            "LANG": "C.UTF-8",
        }
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.here,
            env=plain | environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return Audited(done, [Event(*json.loads(line)) for line in lines])

    def strays(self) -> list[str]:
        """List what lies in the home, and what was left among the temporary files."""
        left = [*(self.folder / "home").rglob("*"), *(self.folder / "temporary").rglob("*")]
        return sorted(str(path.relative_to(self.folder)) for path in left if path.name != ".netrc")
