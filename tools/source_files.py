"""Which files make up the source tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NOT_SOURCES = {"__pycache__", ".venv", "build", "dist", "site", "PKG-INFO"}


def source_files(*, new: bool = False) -> set[str]:
    """Return the files of the source tree: those under version control, or all where there is none.

    `new` takes those in that are not committed and not ignored either.
    """
    command = ["git", "ls-files", "-z", *(["--cached", "--others", "--exclude-standard"] if new else [])]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    names = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file() and path.suffix != ".so")
    ours = (name for name in names if not _NOT_SOURCES & set(name.parts))
    return {name.as_posix() for name in ours if not name.parts[0].startswith(".") or name.name == ".gitignore"}
