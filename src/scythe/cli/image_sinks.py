"""Where images go with `--images-only`: documents come in, addresses or rows of images go out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from scythe.cli.ending import neutralise, take_any_text
from scythe.cli.row_sinks import ROW_FORMATS, RowSink, open_row_sink
from scythe.cli.sinks import Sink, format_of
from scythe.errors import BadInput
from scythe.model import Document
from scythe.record_rows import Shape, images_batch

IMAGE_FORMATS = ("txt", *ROW_FORMATS)


class AddressSink(Sink):
    """The addresses of the relevant images, one per line."""

    def __init__(self, file: IO[str], shown: Callable[[str], str]) -> None:
        self._file, self._shown = file, shown

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        self._file.writelines(f"{self._shown(image.src)}\n" for image in document.images if image.relevant)
        return ()

    def close(self) -> None:
        if self._file is sys.stdout:
            self._file.flush()
        else:
            self._file.close()


class ImageRowSink(Sink):
    """One row per image, the irrelevant ones too, each with its score."""

    def __init__(self, rows: RowSink) -> None:
        self._rows = rows

    def put(self, name: str, document: Document) -> tuple[str, ...]:
        if document.images:
            self._rows.put(images_batch(document.url or name, document.images))
        return ()

    def close(self) -> None:
        self._rows.close()


def open_image_sink(output: str | None, kind: str | None, *, many: bool) -> Sink:
    """Open standard output (None or -) or a file; without `kind` the suffix names the format, addresses by default."""
    if kind is not None and kind not in IMAGE_FORMATS:
        raise BadInput(f"-f {kind}: images go as {', '.join(IMAGE_FORMATS)}")
    is_file = output is not None and output != "-"
    kind = kind or (format_of(Path(output)) if is_file and output else "txt")
    if kind != "txt":
        return ImageRowSink(open_row_sink(output, kind if kind in ROW_FORMATS else None, Shape(page=many)))
    if not (is_file and output):
        take_any_text()
        return AddressSink(sys.stdout, neutralise if sys.stdout.isatty() else str)
    return AddressSink(open(output, "w", encoding="utf-8", errors="replace", newline="\n"), str)
