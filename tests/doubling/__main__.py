"""Measure every public way in with inputs that grow: `python -m tests.doubling [ENTRY...] [--pages NAME...]`.

Prints a line for every case that is beyond the bounds and a table at the end. Exit code 1: there is such a case.
"""

import argparse
import fnmatch
import sys
from collections.abc import Sequence

from tests.doubling.entries import ENTRIES
from tests.doubling.inputs import KINDS
from tests.doubling.measure import Case, measure

# generators that stand for all in ways that are not the main ones: one of each kind of harm
FEW = (
    "an article", "a list of goods", "letters outside ASCII", "nested div", "unclosed span", "nested table row cell",
    "unclosed list item", "nested b", "fonts of distinct size in paragraphs", "links without end in paragraphs",
    "divs between rows", "attributes on one tag", "attributes hiding tags", "long attribute", "class tokens",
    "one-letter paragraphs", "links", "line breaks", "options", "images", "cells", "long word", "spaces",
    "less-than signs", "ampersands", "unknown entity", "entities", "comment openings", "comments", "end tag openings",
    "quote openings", "unclosed script", "svg breakouts", "headings in headings", "meta tags", "microdata",
    "noscript images", "combining marks", "text node", "list: random tags", "list: every item of its own tag",
)  # fmt: skip
HANDFUL = ("an article", "images", "nested div", "cells", "less-than signs", "letters outside ASCII")


def chosen(entry: str, wanted: Sequence[str], *, everything: bool) -> list[str]:
    """Return the inputs that an entry is measured with."""
    made = list(KINDS[ENTRIES[entry].kind])
    if wanted:
        return [name for name in made if any(fnmatch.fnmatch(name, pattern) for pattern in wanted)]
    if ENTRIES[entry].kind != "page" or ENTRIES[entry].is_main or everything:
        return made
    return [name for name in made if name in (HANDFUL if ENTRIES[entry].is_light else FEW)]


def table(cases: Sequence[Case]) -> str:
    """Return the worst of each entry as a table."""
    lines = ["| entry | cases | fitted, per doubling | worst doubling | s per MB | memory per byte | beyond |"]
    lines.append("|---|---|---|---|---|---|---|")
    for entry in dict.fromkeys(case.entry for case in cases):
        mine = [case for case in cases if case.entry == entry]
        slope, worst, speed, memory = (
            max(mine, key=lambda case, name=name: float(getattr(case, name)))  # type: ignore[misc]
            for name in ("slope", "worst", "s_per_mb", "memory_per_byte")
        )
        lines.append(
            f"| {entry} | {len(mine)} | {slope.slope:.2f} {slope.made_by} | {worst.worst:.2f} {worst.made_by} "
            f"| {speed.s_per_mb:.2f} {speed.made_by} | {memory.memory_per_byte:.1f} {memory.made_by} "
            f"| {sum(bool(case.faults) for case in mine)} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entries", nargs="*", help="names or patterns of entries; all")
    parser.add_argument("--pages", nargs="*", default=[], help="names or patterns of inputs")
    parser.add_argument("--all", action="store_true", help="every generator with every entry, not only the main ones")
    parser.add_argument("--main", action="store_true", help="only the main entries")
    parser.add_argument("--min-kb", type=int, default=64)
    parser.add_argument("--max-mb", type=float, default=50)
    parser.add_argument("--case-s", type=float, default=120.0, help="CPU seconds for the last size of one case")
    parser.add_argument("--verbose", action="store_true", help="a line for every case")
    options = parser.parse_args(arguments)
    names = [name for name in ENTRIES if not options.entries or any(fnmatch.fnmatch(name, p) for p in options.entries)]
    cases: list[Case] = []
    for entry in names:
        if options.main and not ENTRIES[entry].is_main:
            continue
        kind = ENTRIES[entry].kind
        ENTRIES[entry].prepare(next(iter(KINDS[kind].values()))(2_000))()  # imports here, once, not in every child
        for made_by in chosen(entry, options.pages, everything=options.all):
            most = int(options.max_mb * 1e6)
            case = measure(entry, made_by, most, least=1000 * options.min_kb, case_s=options.case_s)
            cases.append(case)
            if case.faults or options.verbose:
                times = " ".join(f"{point.seconds:.3f}" for point in case.points)
                print(f"{entry} / {made_by}: {'; '.join(case.faults) or 'good'} ({times} s)", flush=True)
    print(table(cases))
    return int(any(case.faults for case in cases))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
