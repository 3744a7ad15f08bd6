"""Put results of the demo into words, for the terminal and the report alike."""

from __future__ import annotations

from collections.abc import Iterator

from scythe.demo.results import CornerRow, Redesign

_STATES = {
    "done": "archived",
    "redirect": "followed",
    "gone": "gone",
    "refused": "not asked for",
    "skipped": "left out",
    "failed": "given up",
    "other": "no page",
    "retry": "to be tried again",
    "new": "not asked for yet",
}


def corner_ending(row: CornerRow) -> str:
    """Say what became of a corner's addresses."""
    if not row.states:
        return "not asked for, by address"
    counts = ", ".join(f"{number} {_STATES.get(state, state)}" for state, number in row.states)
    counts += f", {row.twins} of them like others" if row.twins else ""
    counts += ", marked as not whole" if row.cut else ""
    if not row.why or row.why.startswith("leads to"):
        return counts
    return f"{counts}: {row.why.removeprefix('no page: ')}"


def describe_redesign(redesign: Redesign) -> Iterator[str]:
    """Say in a few sentences what a redesign did."""
    is_learned = any(line.startswith("learned") for line in redesign.log)
    yield (
        f"After {redesign.after} pages the site got another design. Of the fields, {100 * redesign.before:.0f} % had "
        f"been cut until then, {100 * redesign.soon:.0f} % were on the next ten pages; the tree gave the others. Later"
        f"{', by rules that were learned again,' if is_learned else ''} it was {100 * redesign.later:.0f} %."
    )
    for line in redesign.log[:4]:
        yield f"  {line}"
