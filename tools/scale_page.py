"""Put the plans of `python -m bench scale` into bench/results/scale.md: `python tools/scale_page.py`.

Run it after new costs were measured: `python -m bench scale --measure --costs bench/tables/scale_costs.json`.
"""

from __future__ import annotations

import re
from pathlib import Path

from bench.command import app
from bench.command_scale import CAUTION
from typer.testing import CliRunner

TARGET = Path(__file__).resolve().parent.parent / "bench" / "results" / "scale.md"
_BLOCK = re.compile(r"```console\n\$ python -m bench ([^\n]*)\n.*?```", re.DOTALL)


def main() -> None:
    """Replace what stands below each command by what it prints now; the machine it runs on is left out."""
    text = TARGET.read_text(encoding="utf-8")
    TARGET.write_text(_BLOCK.sub(lambda found: _block(found[1]), text), encoding="utf-8")


def _block(arguments: str) -> str:
    printed = CliRunner().invoke(app, arguments.split()).stdout.partition(CAUTION[:20])[0]
    lines = [line.rstrip() for line in printed.strip().splitlines()]
    return "\n".join(["```console", f"$ python -m bench {arguments}", *lines, "...", "```"])


if __name__ == "__main__":
    main()
