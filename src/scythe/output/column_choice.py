"""Choose, rename and order the columns of tables, and leave out what says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scythe.errors import BadInput
from scythe.output.rows import TRAILING, RowBatch, Shape, Value, cell_text, own_names

_FEW = 3  # rows of which it cannot be said what all have in common
_TELLING = frozenset(("title", "author", "price", "category", "brand"))  # what a shop or a person may always be
_LABEL = re.compile(r"([^\W\d_][^:：]{0,39})[:：]\s*(?=\S)")
_ADDRESS = re.compile(r"https?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that a table is to have, in order: what each is called, and what it is to be called."""

    names: tuple[tuple[str, str], ...] = ()  # none: those that say something
    keeps_all: bool = False  # without `names`: those too that say nothing

    @classmethod
    def read(cls, text: str | None, *, keeps_all: bool = False) -> ColumnChoice:
        """Read `title,price=Price`. Raises BadInput."""
        if text is None:
            return cls(keeps_all=keeps_all)
        pairs = [part.partition("=") for part in text.split(",")]
        names = tuple((name.strip(), (new if equals else name).strip()) for name, equals, new in pairs)
        given = [new for _, new in names]
        if not all(name and new for name, new in names) or len(set(given)) < len(given):
            raise BadInput(f"--columns {text}: name columns once each, as in title,price=Price")
        return cls(names)

    @property
    def header(self) -> tuple[str, ...]:
        """The names that columns get; none where rows decide."""
        return tuple(new for _, new in self.names)

    def of_row(self, row: Mapping[str, object]) -> Mapping[str, object]:
        """Return a row with the columns chosen; what it does not have is empty."""
        return {new: row.get(name, "") for name, new in self.names} if self.names else row

    def of_batch(self, batch: RowBatch) -> RowBatch:
        """Return a batch with the columns chosen, among them `page`, `list` and `kind`; tidied where none were."""
        tidied = batch if self.keeps_all else tidy(batch)
        if not self.names:
            return tidied
        wanted = {name for name, _ in self.names} & set(batch.columns)
        given = Shape(page=True, list=True).dictionaries(tidied if wanted <= set(tidied.columns) else batch)
        rows = (tuple(row.get(name, "") for name, _ in self.names) for row in given)
        return replace(batch, columns=self.header, rows=tuple(rows))

    def missing(self, seen: Iterable[str]) -> list[str]:
        """Return the columns chosen that none of those seen is called."""
        known = set(seen)
        return [name for name, _ in self.names if name not in known]


def tidy(batch: RowBatch) -> RowBatch:
    """Leave out, of a list, empty and constant columns and rows that are no records; take labels off values."""
    if not batch.number:
        return batch
    if batch.kind == "table":
        return _of_columns(batch, [at for at in range(len(batch.columns)) if any(_texts(batch, at))])
    batch = _without_odd_rows(batch)
    kept: list[int] = []
    names, cells = list(batch.columns), [_texts(batch, at) for at in range(len(batch.columns))]
    label = ""
    for at, texts in enumerate(cells):
        said = {text for text in texts if text}
        if not said:
            continue
        if _is_constant(batch, at, texts, said):
            only = next(iter(said))
            label = _name_of(only) if only[-1:] in ":：" else label
            continue
        if (own := _common_label(said)) is not None:
            names[at], cells[at] = _name_of(own), [_without_label(text) for text in texts]
        elif label and re.fullmatch(r"(?:text|label|link|number)(?:_\d+)?", names[at]):
            names[at] = label
        label = ""
        kept.append(at)
    named = (*own_names(tuple(names[: -len(TRAILING)])), *TRAILING)
    return _of_columns(replace(batch, columns=named, rows=tuple(zip(*cells, strict=True))), kept)


def _texts(batch: RowBatch, at: int) -> list[str]:
    return [cell_text(row[at]) for row in batch.rows]


def _of_columns(batch: RowBatch, kept: list[int]) -> RowBatch:
    rows: Iterable[tuple[Value, ...]] = (tuple(row[at] for at in kept) for row in batch.rows)
    return replace(batch, columns=tuple(batch.columns[at] for at in kept), rows=tuple(rows))


def _without_odd_rows(batch: RowBatch) -> RowBatch:
    """Leave out rows that have nothing of what most have: pagers, headings and adverts between records."""
    width = len(batch.columns) - len(TRAILING)
    filled = [sum(bool(cell_text(row[at])) for row in batch.rows) for at in range(width)]
    usual = [at for at, count in enumerate(filled) if 2 * count >= len(batch.rows)]
    least = 2 if len(usual) >= 4 else 1
    kept = tuple(row for row in batch.rows if sum(bool(cell_text(row[at])) for at in usual) >= least)
    return replace(batch, rows=kept) if len(batch.rows) > _FEW and usual and 2 * len(kept) > len(batch.rows) else batch


def _is_constant(batch: RowBatch, at: int, texts: list[str], said: set[str]) -> bool:
    """Say whether a column tells no record from another: "Read more", or signs between other columns."""
    if not any(character.isalnum() for text in said for character in text):
        return True
    if len(said) > 1 or len(texts) < _FEW or "" in texts or batch.columns[at] in TRAILING:
        return False
    name = re.sub(r"_\d+$", "", batch.columns[at])
    has_digit = any(character.isdigit() for text in said for character in text)
    return name not in _TELLING and not (has_digit and name in ("date", "rating", "number"))


def _common_label(said: set[str]) -> str | None:
    """Return the words in front of a colon that all texts of a column begin with."""
    heads = {found[1] if (found := _LABEL.match(text)) else "" for text in said}
    only = heads.pop() if len(heads) == 1 else ""
    return only if only and len(said) > 1 and not _ADDRESS.fullmatch(only) else None


def _without_label(text: str) -> str:
    found = _LABEL.match(text)
    return text[found.end() :] if found else text


def _name_of(label: str) -> str:
    return re.sub(r"\W+", "_", label.lower()).strip("_") or "label"
