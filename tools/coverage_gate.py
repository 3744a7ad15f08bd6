"""Judge how much of the package the tests reach: `python -m tools.coverage_gate build/coverage.json [--out FILE]`.

The file is what `coverage json` writes. Out go a table by package, as text and as Markdown, and what falls short:
95 % of all lines and of all branches, and every line and branch of the parts that stand between us and hostile input.

Exit codes: 0 all goals are met; 1 some are not; 2 the file cannot be judged.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

OVERALL = 95.0  # per cent, of lines and of branches
WHOLE = {  # parts of which every line and branch is reached, by the paths of their modules in the package
    "guard": ("fetch/guard.py",),
    "decode": (
        "fetch/decode.py",
        "page/encoding.py",
        "page/encoding_guess.py",
    ),
    "archive": ("archive/*.py",),
    "limits": ("limits.py",),
}
_PACKAGE = "scythe/"
MET, SHORT, UNREADABLE = 0, 1, 2


@dataclass(frozen=True)
class Reach:
    """How much of some modules was reached."""

    lines: int = 0
    missed_lines: int = 0
    branches: int = 0
    missed_branches: int = 0

    def __add__(self, other: Reach) -> Reach:
        return Reach(
            self.lines + other.lines,
            self.missed_lines + other.missed_lines,
            self.branches + other.branches,
            self.missed_branches + other.missed_branches,
        )

    @property
    def line_share(self) -> float:
        """Lines reached, in per cent."""
        return _share(self.lines, self.missed_lines)

    @property
    def branch_share(self) -> float:
        """Branches taken, in per cent."""
        return _share(self.branches, self.missed_branches)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was missed."""
        return not self.missed_lines and not self.missed_branches


def _share(count: int, missed: int) -> float:
    return 100.0 * (count - missed) / count if count else 100.0


def read_modules(report: Mapping[str, object]) -> dict[str, Reach]:
    """Return what was reached of each module, by its path in the package. Raises ValueError."""
    files = report.get("files")
    if not isinstance(files, dict) or not files:
        raise ValueError("no files in it: was anything measured?")
    modules = {}
    for path, of_file in files.items():
        summary = of_file["summary"]
        if "num_branches" not in summary:
            raise ValueError("measured without branches")
        modules[path.replace("\\", "/").rpartition(_PACKAGE)[2]] = Reach(
            summary["num_statements"],
            summary["missing_lines"],
            summary["num_branches"],
            summary["missing_branches"],
        )
    return modules


def by_package(modules: Mapping[str, Reach]) -> dict[str, Reach]:
    """Return the sum of each folder right below the package; modules of the package itself are `scythe`."""
    sums: dict[str, Reach] = {}
    for path in sorted(modules):
        name = path.partition("/")[0] if "/" in path else "scythe"
        sums[name] = sums.get(name, Reach()) + modules[path]
    return sums


def total(reaches: Iterable[Reach]) -> Reach:
    """Return the sum of all."""
    return sum(reaches, Reach())


def find_shortfalls(modules: Mapping[str, Reach]) -> list[str]:
    """Say in a line each which goals are missed."""
    whole = total(modules.values())
    found = []
    for what, share in (("lines", whole.line_share), ("branches", whole.branch_share)):
        if share < OVERALL:
            found.append(f"{share:.2f} % of all {what}, at least {OVERALL:.0f} % are wanted")
    for part, patterns in WHOLE.items():
        for pattern in patterns:
            paths = [path for path in modules if fnmatch(path, pattern)]
            if not paths:
                found.append(f"{part}: no module {pattern} was measured; was it renamed?")
            found += [
                f"{part}: {path} misses {modules[path].missed_lines} lines and {modules[path].missed_branches} branches"
                for path in paths
                if not modules[path].is_whole
            ]
    return found


def to_table(packages: Mapping[str, Reach]) -> str:
    """Return a table in Markdown, one row for each package and one for all."""
    rows = [
        "| package | lines | missed | branches | missed | lines, % | branches, % |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, reach in (*sorted(packages.items()), ("**all**", total(packages.values()))):
        rows.append(
            f"| {name} | {reach.lines} | {reach.missed_lines} | {reach.branches} | {reach.missed_branches}"
            f" | {reach.line_share:.1f} | {reach.branch_share:.1f} |"
        )
    return "\n".join(rows)


def main(words: Sequence[str] | None = None) -> int:
    """Judge a report, write the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("report", type=Path, help="what `coverage json` wrote")
    parser.add_argument("--out", type=Path, help="a file for the table in Markdown")
    options = parser.parse_args(words)
    try:
        modules = read_modules(json.loads(options.report.read_bytes()))
    except (OSError, ValueError) as error:
        print(f"{options.report} cannot be judged: {error}", file=sys.stderr)
        return UNREADABLE
    shortfalls = find_shortfalls(modules)
    table = to_table(by_package(modules))
    verdict = "\n".join([*(f"- {line}" for line in shortfalls), f"coverage {'FAILED' if shortfalls else 'passed'}"])
    print(f"{table}\n\n{verdict}")
    if options.out:
        options.out.write_text(f"{table}\n\n{verdict}\n", encoding="utf-8")
    return SHORT if shortfalls else MET


if __name__ == "__main__":
    sys.exit(main())
