"""Tables of cases kept as data: a row of JSON on each line, remarks behind a # sign."""

import json
from pathlib import Path
from typing import Any


def rows(path: Path) -> list[tuple[Any, ...]]:
    """Return the rows of a table."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [tuple(json.loads(line)) for line in lines if line and not line.startswith("#")]
