"""Write the records of a document below its text: a document comes in, tables as text, Markdown or HTML go out."""

from __future__ import annotations

from html import escape

from scythe.model import Document
from scythe.page.markdown_text import escape_words
from scythe.record_rows import Batch, Value, cell_text, region_batch


def render_records(document: Document, kind: str) -> str:
    """Return the regions of a document, best first, each as a table in the format `kind`: txt, md or html."""
    write = {"txt": _as_text, "md": _as_markdown, "html": _as_html}[kind]
    return "\n\n".join(write(region_batch("", number, region)) for number, region in enumerate(document.records, 1))


def _title(batch: Batch) -> str:
    return f"Records {batch.region}: {batch.kind}, {len(batch.rows)}"


def _as_text(batch: Batch) -> str:
    lines = ["\t".join(_one_line(cell) for cell in row) for row in (batch.columns, *batch.rows)]
    return "\n".join([_title(batch), *lines])


def _as_markdown(batch: Batch) -> str:
    rows = [_bars(batch.columns), _bars(("---",) * len(batch.columns), escaped=True), *map(_bars, batch.rows)]
    return "\n".join([f"## {_title(batch)}", "", *rows])


def _bars(cells: tuple[Value, ...], *, escaped: bool = False) -> str:
    shown = map(cell_text, cells) if escaped else [escape_words(_one_line(cell)) for cell in cells]
    return f"| {' | '.join(shown)} |"


def _as_html(batch: Batch) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in batch.columns)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell_text(cell))}</td>' for cell in row)}</tr>" for row in batch.rows)
    return f"<table>\n<caption>{escape(_title(batch))}</caption>\n<tr>{head}</tr>\n{rows}\n</table>"


def _one_line(cell: Value) -> str:
    return " ".join(cell_text(cell).split())
