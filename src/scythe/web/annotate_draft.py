"""Marks that are not in a profile yet, kept beside it: confirmed pages come in, a file of labels goes out, and back.

It is JSON lines as `scythe annotate --from` reads them, so that nothing is lost when scythe ends before anybody saved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scythe.export import write_atomically
from scythe.learn.annotations import Label, Labels, open_labels
from scythe.learn.marking import name_images
from scythe.teaching.annotate import place_labels
from scythe.web.annotate_sitting import Said, Sheet, Sitting, read_sheet
from scythe.web.room import PageAtHand


@dataclass(frozen=True, slots=True)
class Found:
    """What a draft says of the pages at hand."""

    pages: tuple[PageAtHand, ...]
    said: dict[int, Said]
    by: str
    rest: tuple[Label, ...]  # of pages that are not at hand, or are others now: kept as they are


def draft_path(profile: Path) -> Path:
    """Return where the draft of a profile lies."""
    return profile.with_name(f"{profile.stem}.marks.jsonl")


def read_draft(path: Path, pages: Sequence[PageAtHand]) -> Found:
    """Read a draft; without one nothing is found. Raises BadInput where it is damaged, OSError."""
    try:
        labels = open_labels(path)
    except FileNotFoundError:
        return Found((), {}, "", ())
    at_hand = {page.url or page.name: page for page in pages}
    groups: dict[str, list[Label]] = {}
    for label in labels.rows:
        groups.setdefault(label.page, []).append(label)
    chosen: list[PageAtHand] = []
    said: dict[int, Said] = {}
    rest: list[Label] = []
    for name, own in groups.items():
        marks = _marks(read_sheet(at_hand[name]), own) if name in at_hand else None
        if marks is None:
            rest += own
        else:
            chosen.append(at_hand[name])
            said[at_hand[name].number] = marks
    return Found(tuple(chosen), said, labels.rows[-1].by if labels.rows else "", tuple(rest))


def _marks(sheet: Sheet, labels: Sequence[Label]) -> Said | None:
    """Return what labels say of a page, None where it has other images now."""
    if not sheet.images and not any(label.image for label in labels):
        return Said(frozenset(), is_confirmed=True)
    placed, lost = place_labels(Labels("draft", tuple(labels)), {sheet.name: sheet.around})
    if lost or not placed:
        return None
    return Said(frozenset(row for marks in placed[0].marks for row in marks.relevant), is_confirmed=True)


def write_draft(path: Path, sitting: Sitting, rest: Sequence[Label]) -> None:
    """Write the confirmed pages that are not saved; without any the file goes. Raises OSError."""
    rows = [_row(label.page, label.image, label.relevant, label.by) for label in rest]
    for sheet in sitting.confirmed:
        said = sitting.said[sheet.page.number]
        if sitting.saved.get(sheet.page.number) != said:
            rows += _rows(sheet, said, sitting.by)
    if rows:
        write_atomically(path, "".join(f"{row}\n" for row in rows).encode())
    else:
        path.unlink(missing_ok=True)


def _rows(sheet: Sheet, said: Said, by: str) -> Iterator[str]:
    names = name_images(sheet.around)
    images = [names[row] for row in sorted(said.relevant)]
    if any(image[0] == "#" for image in images) or _marks(sheet, [_label(sheet, image) for image in images]) != said:
        images = [f"#{row + 1}" for row in sorted(said.relevant)]  # two images share an address
    if not images:
        yield _row(sheet.name, "", False, by)
    for image in images:
        yield _row(sheet.name, image, True, by)


def _label(sheet: Sheet, image: str) -> Label:
    return Label(sheet.name, image, relevant=True)


def _row(page: str, image: str, relevant: bool, by: str) -> str:
    return json.dumps({"page": page, "image": image, "relevant": int(relevant)} | ({"by": by} if by else {}))
