"""Write tables of images and conflicts for spreadsheets, as `--from` reads them."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from scythe.atomic_files import write_atomically
from scythe.cli.console import neutralise, take_any_text
from scythe.model import RELEVANT
from scythe.output.rows import safe_cell
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.site.judge_images import ImageJudge
from scythe.site.labels.annotators import Conflict
from scythe.site.labels.match_labels import name_images

TEMPLATE = ("page", "image", "relevant", "score", "alt")
DECISION = ("page", "image", "relevant", "by", "note")
Row = tuple[str, ...]


def template_rows(page: Page, name: str, judge: ImageJudge) -> Iterator[Row]:
    """Yield one row for each image of a page, with what the judge thinks of it.

    An image is named by its address and, where the page shows that several times, by its number in front.
    """
    contexts = read_image_contexts(page)
    for use, image, score in zip(page.images, name_images(contexts), judge.score(contexts), strict=True):
        yield name, image, str(int(score >= RELEVANT)), f"{score:.2f}", use.image.alt or use.image.caption


def conflict_rows(conflicts: Iterable[Conflict]) -> Iterator[Row]:
    """Yield one row for each image that people do not agree on, for somebody to decide."""
    for one in conflicts:
        sides = (("relevant", one.relevant_by), ("not relevant", one.irrelevant_by))
        note = "; ".join(f"{what}: {name_people(people)}" for what, people in sides)
        yield one.page, one.image, "", "", note


def name_people(people: Iterable[str]) -> str:
    """Return names in one text; who gave none is called nobody."""
    return ", ".join(by or "(no name)" for by in people)


def write_table(columns: Row, rows: Iterable[Row], output: str | None) -> None:
    """Write CSV to a file, or to standard output (None or -). No cell becomes a formula. Raises OSError."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n" if output not in (None, "-") else "\n")
    writer.writerow(columns)
    writer.writerows([safe_cell(" ".join(cell.split())) for cell in row] for row in rows)
    if output is not None and output != "-":
        # without the mark at the beginning spreadsheets take UTF-8 for something else
        write_atomically(Path(output), text.getvalue().encode("utf-8-sig", "replace"))
        return
    take_any_text()
    shown = neutralise if sys.stdout.isatty() else str
    sys.stdout.write(shown(text.getvalue()))
