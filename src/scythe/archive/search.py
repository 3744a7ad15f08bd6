"""Full-text search in an archive, with marked snippets; a cursor keeps pages of results consistent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select, text

from scythe.archive.archive import Archive, from_row, soundly
from scythe.archive.results import (
    ORDERS,
    WHAT,
    DocumentHit,
    Hits,
    NamedPieces,
    Pieces,
    RecordHit,
    SearchQuery,
    Snippet,
    StoredPage,
    StoredRecord,
)
from scythe.archive.retrieval import read_some_records, read_versions
from scythe.archive.schema import EXTRACTIONS, PAGES, RECORDS, SITES, URLS, VERSIONS, moment, seconds, storable
from scythe.archive.search_index import (
    PARTS,
    TABLES,
    Query,
    Term,
    count_pending,
    find_marks,
    fold,
    is_made,
    may_hold,
    read_query,
    site_word,
    words_table,
)
from scythe.errors import BadInput
from scythe.limits import LIMITS

SNIPPET_CHARS = 260
_BEFORE = 60  # characters shown in front of the first match
_STEP = 4_000  # of a text looked at in one go


class Snippets:
    """Cuts snippets for one page of results; very long texts share a budget, so that no search takes long."""

    def __init__(self, query: Query, budget_chars: int = 2_000_000) -> None:
        self._query = query
        self._left = budget_chars

    def mark(self, text: str, most: int = 10_000) -> Pieces:
        """Return a text with what was looked for marked; one that is longer than `most` is cut."""
        shown = text if len(text) <= most else f"{text[: most - 1]}\u2026"
        return tuple(_split(shown, find_marks(shown, self._query))) if self._query.terms else (Snippet(shown),)

    def cut(self, text: str) -> Pieces:
        """Return the part of a text around the first of what was looked for; else its beginning."""
        at = self._find(text)
        begin = _word_start(text, max(0, at - _BEFORE)) if at > _BEFORE else 0
        end = _word_end(text, begin + SNIPPET_CHARS)
        shown = f"{'… ' if begin else ''}{' '.join(text[begin:end].split())}{' …' if end < len(text) else ''}"
        return self.mark(shown)

    def _find(self, text: str) -> int:
        """Return where the first of what was looked for stands, 0 where it was not found in time."""
        if not self._query.terms:
            return 0
        for start in range(0, len(text), _STEP):
            if self._left <= 0:
                break
            some = text[start : start + _STEP + 100]  # a word may lie across the border
            self._left -= _STEP
            if may_hold(fold(some), self._query):
                found = next(iter(find_marks(some, self._query)), None)
                if found is not None:
                    return start + found[0]
        return 0


def _word_start(text: str, at: int) -> int:
    """Return the beginning of a word near `at`."""
    space = text.find(" ", at, at + _BEFORE // 2)
    return space + 1 if space >= 0 else at


def _word_end(text: str, at: int) -> int:
    """Return the end of a word near `at`, or of the text."""
    space = text.rfind(" ", at - _BEFORE // 2, at) if at < len(text) else -1
    return space if space >= 0 else min(at, len(text))


def _split(text: str, marks: Iterable[tuple[int, int]]) -> Iterator[Snippet]:
    last = 0
    for begin, end in marks:
        if begin > last:
            yield Snippet(text[last:begin])
        yield Snippet(text[begin:end], is_match=True)
        last = end
    if last < len(text):
        yield Snippet(text[last:])


COUNTED = 10_000  # results are counted up to here; nobody reads more
RANKED = 2_000  # of many matches the newest so many are put in order of relevance
_KINDS = 100  # told, at most
_TEXTS = EXTRACTIONS.alias("texts")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A search in the words of a database."""

    what: str
    match: str  # what is looked for; empty: no words
    within: str  # the same, in the sites that are meant
    is_sqlite: bool
    conditions: tuple[str, ...]  # beside the words
    values: dict[str, Any]
    is_newest_only: bool  # of the versions of a document

    def write(self, columns: str, *more: str) -> str:
        """Return the query for all that matches; `number` is its column of numbers."""
        table, words = TABLES[self.what].name, words_table(self.what)
        where = [*self.conditions, *more]
        if not self.match:
            source = f"{table} AS s"
        elif self.is_sqlite:  # the words first, always: they say in which order numbers come
            source = f"{words} AS w CROSS JOIN {table} AS s ON s.id = w.rowid" if self._needs_rows else f"{words} AS w"
            where.append(f"{words} MATCH :within")
        else:  # apart, or PostgreSQL looks at all of the newest in turn, as it expects a match soon
            matching = f"SELECT id FROM {words} WHERE words @@ CAST(:within AS tsquery) OFFSET 0"  # noqa: S608 (values are bound)
            source = f"({matching}) AS w" + (f" JOIN {table} AS s ON s.id = w.id" if self._needs_rows else "")
        if self.is_newest_only:
            source += " JOIN pages AS p ON p.id = s.page AND p.version = s.id"
        return f"SELECT {columns} FROM {source} WHERE {' AND '.join(where) or '1 = 1'}"  # noqa: S608 (values are bound)

    @property
    def number(self) -> str:
        """The column by which the newest come first."""
        return "w.rowid" if self.match and self.is_sqlite else "w.id" if self.match else "s.id"

    @property
    def _needs_rows(self) -> bool:
        return bool(self.conditions) or self.is_newest_only


@soundly
def run_search(archive: Archive, wanted: SearchQuery) -> Hits:
    """Return a page of what was found. Raises BadInput where the search cannot be meant, ArchiveFailed."""
    _check(wanted)
    query = read_query(storable(wanted.words))
    with archive.reading() as connection:
        pending = count_pending(connection)
        if not is_made(connection):
            return Hits(pending=pending, left_out=query.left_out)
        numbers, after, total = _find(connection, archive, wanted, query)
        table = TABLES[wanted.what]
        cut = connection.execute(select(func.count()).where(table.c.is_cut.is_(True))).scalar_one()
        snippets = Snippets(query)
        documents = _documents(connection, numbers, snippets) if wanted.what == "documents" else ()
        records = _records(connection, numbers, snippets) if wanted.what == "records" else ()
    counted = min(total, COUNTED)
    return Hits(documents, records, counted, total > COUNTED, after, pending, int(cut), query.left_out)


@soundly
def found_pages(archive: Archive, wanted: SearchQuery) -> Iterator[StoredPage]:
    """Yield the documents of a page of results, as exports have them."""
    yield from read_versions(archive, _find_numbers(archive, wanted))


@soundly
def found_records(archive: Archive, wanted: SearchQuery) -> Iterator[StoredRecord]:
    """Yield the records of a page of results, as exports have them."""
    yield from read_some_records(archive, _find_numbers(archive, wanted))


def _find_numbers(archive: Archive, wanted: SearchQuery) -> list[int]:
    """Return the numbers of what was found, of versions or of records, as many as are wanted on a page."""
    _check(wanted)
    with archive.reading() as connection:
        if not is_made(connection):
            return []
        return _find(connection, archive, wanted, read_query(storable(wanted.words)))[0]


def _find(connection: Connection, archive: Archive, wanted: SearchQuery, query: Query) -> tuple[list[int], str, int]:
    """Return the numbers of one page of results, where the next one begins, and how many match in all."""
    asked = _ask(connection, archive, wanted, query)
    if asked is None:
        return [], "", 0
    is_best = wanted.order == "best" and bool(query.terms)
    return (_best if is_best else _newest)(connection, asked, wanted)


def list_kinds(archive: Archive, what: str, sites: Sequence[str] = ()) -> list[str]:
    """Return the kinds of what can be found, in order. An index leads from one to the next: no row is looked at."""
    table = TABLES[what]
    found: set[str] = set()
    with archive.reading() as connection:
        if not is_made(connection):
            return []
        for site in _site_numbers(connection, sites) if sites else [None]:
            ours = [] if site is None else [table.c.site == site]
            kind: str | None = ""
            while kind is not None and len(found) < _KINDS:
                found.add(kind)
                kind = connection.execute(select(func.min(table.c.kind)).where(table.c.kind > kind, *ours)).scalar()
    return sorted(found - {""})


def _check(wanted: SearchQuery) -> None:
    if wanted.what not in WHAT:
        raise BadInput(f"{wanted.what!r:.80} cannot be searched; {' and '.join(WHAT)} can")
    if wanted.order not in ORDERS:
        raise BadInput(f"{wanted.order!r:.80} is no order of results; {' and '.join(ORDERS)} are")
    if not 1 <= wanted.count <= 1_000:
        raise BadInput(f"a page has 1 to 1000 results, not {wanted.count}")


def _ask(connection: Connection, archive: Archive, wanted: SearchQuery, query: Query) -> _Asked | None:
    """Return a search in the words of the database; None where nothing can be found."""
    conditions, values = [], dict[str, Any]()
    numbers = _site_numbers(connection, wanted.sites) if wanted.sites else []
    if wanted.sites and not numbers:
        return None
    if numbers and not query.terms:
        conditions.append(f"s.site IN ({', '.join(map(str, numbers))})")
    if wanted.kinds:
        names = {f"kind{number}": kind.lower() for number, kind in enumerate(wanted.kinds)}
        conditions.append(f"lower(s.kind) IN ({', '.join(f':{name}' for name in names)})")
        values |= names
    for name, at, sign in (("since", wanted.since, ">="), ("until", wanted.until, "<")):
        if at is not None:
            conditions.append(f"s.at {sign} :{name}")
            values[name] = seconds(at)
    match = within = ""
    if query.terms:
        match = within = (_sqlite_match if archive.is_sqlite else _postgres_match)(query.terms)
        if numbers:
            meant = (" OR " if archive.is_sqlite else " | ").join(map(site_word, numbers))
            within = f"({match}) {'AND' if archive.is_sqlite else '&'} ({meant})"
        values["within"] = within
    newest_only = wanted.what == "documents" and not wanted.all_versions
    return _Asked(wanted.what, match, within, archive.is_sqlite, tuple(conditions), values, newest_only)


def _site_numbers(connection: Connection, keys: Sequence[str]) -> list[int]:
    named = [storable(key) for key in keys]
    return [int(number) for number in connection.execute(select(SITES.c.id).where(SITES.c.key.in_(named))).scalars()]


def _sqlite_match(terms: Sequence[Term]) -> str:
    """Return terms as FTS5 reads them. Words have letters and digits only: nothing in them can mean anything else."""
    wanted = " AND ".join(_sqlite_term(term) for term in terms if not term.is_unwanted)
    unwanted = [_sqlite_term(term) for term in terms if term.is_unwanted]
    return f"({wanted}) NOT ({' OR '.join(unwanted)})" if unwanted else wanted


def _sqlite_term(term: Term) -> str:
    return f'"{" ".join(term.words)}"{" *" if term.is_prefix else ""}'


def _postgres_match(terms: Sequence[Term]) -> str:
    return " & ".join(f"{'!' if term.is_unwanted else ''}({_postgres_term(term)})" for term in terms)


def _postgres_term(term: Term) -> str:
    return " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "")


def _newest(connection: Connection, asked: _Asked, wanted: SearchQuery) -> tuple[list[int], str, int]:
    """Return the numbers of one page of results, the newest first, where the next one begins, and how many match."""
    (before,) = _read_cursor(wanted.after, "n", 1) or (2**62,)
    numbers, total = _look(connection, asked, "<", before, wanted.count + 1)
    after = f"n{numbers[wanted.count - 1]}" if len(numbers) > wanted.count else ""
    return numbers[: wanted.count], after, total


def _best(connection: Connection, asked: _Asked, wanted: SearchQuery) -> tuple[list[int], str, int]:
    """Return the same with the most relevant first."""
    newest, offset = _read_cursor(wanted.after, "b", 2) or (2**62, 0)
    candidates, total = _look(connection, asked, "<=", newest, RANKED)
    if len(candidates) <= offset:
        return [], "", total
    ranked = _rank(connection, asked, candidates)[offset : offset + wanted.count + 1]
    after = f"b{min(newest, candidates[0])}-{offset + wanted.count}" if len(ranked) > wanted.count else ""
    return ranked[: wanted.count], after, total


def _look(connection: Connection, asked: _Asked, sign: str, border: int, most: int) -> tuple[list[int], int]:
    """Return up to so many numbers below a border, the highest first, and how many match, border or not."""
    values = asked.values | {"border": border, "most": most}
    if asked.is_sqlite or not asked.match:  # numbers come in order: the first ones are there at once
        written = (
            f"{asked.write(asked.number, f'{asked.number} {sign} :border')} ORDER BY {asked.number} DESC LIMIT :most"
        )
        numbers = [int(number) for number in connection.execute(text(written), values).scalars()]
        return numbers, _count(connection, asked)
    found = asked.write(f"{asked.number} AS id")
    written = (
        f"WITH found AS MATERIALIZED ({found}) SELECT id, (SELECT count(*) FROM found) AS total"  # noqa: S608 (as above)
        f" FROM found WHERE id {sign} :border ORDER BY id DESC LIMIT :most"
    )
    rows = connection.execute(text(written), values).all()
    return [int(row.id) for row in rows], int(rows[0].total) if rows else 0


def _rank(connection: Connection, asked: _Asked, candidates: Sequence[int]) -> list[int]:
    """Return candidates by relevance, the newest of equals first."""
    words = words_table(asked.what)
    if asked.is_sqlite:
        weights = ", ".join(str(weight) for weight, _ in PARTS[asked.what].values())
        written = (
            f"SELECT rowid FROM {words} WHERE {words} MATCH :match AND rowid >= :oldest AND rowid <= :newest"  # noqa: S608
            f" ORDER BY bm25({words}, {weights}), rowid DESC"
        )
    else:
        # 1: divided by the logarithm of the length, as long texts have every word
        written = (
            f"SELECT id FROM {words} WHERE id = ANY(:ids)"  # noqa: S608
            " ORDER BY ts_rank(words, CAST(:match AS tsquery), 1) DESC, id DESC"
        )
    values = {"match": asked.match, "oldest": candidates[-1], "newest": candidates[0], "ids": list(candidates)}
    known = set(candidates)
    return [int(number) for number in connection.execute(text(written), values).scalars() if number in known]


def _read_cursor(after: str, kind: str, parts: int) -> list[int] | None:
    """Return the numbers of a cursor; None where it is not of this kind, which is the first page."""
    numbers = after.removeprefix(kind).split("-")
    if not after.startswith(kind) or len(numbers) != parts:
        return None
    if not all(number.isascii() and number.isdigit() and len(number) < 18 for number in numbers):
        return None
    return [int(number) for number in numbers]


def _count(connection: Connection, asked: _Asked) -> int:
    """Count what was found, up to one more than is told."""
    some = asked.write("1")
    written = f"SELECT count(*) FROM ({some} LIMIT {COUNTED + 1}) AS found"  # noqa: S608
    return int(connection.execute(text(written), asked.values).scalar_one())


_DOCUMENTS: Select[Any] = (
    select(VERSIONS.c.id, VERSIONS.c.page, VERSIONS.c.number.label("version"), VERSIONS.c.at, PAGES.c.versions)
    .add_columns(SITES.c.key.label("site"), URLS.c.url, EXTRACTIONS.c.kind, EXTRACTIONS.c.language, EXTRACTIONS.c.title)
    .add_columns(func.substr(func.coalesce(EXTRACTIONS.c.text, _TEXTS.c.text), 1, LIMITS.searched_chars).label("said"))
    .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
    .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
    .join(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of, isouter=True)
    .join(URLS, URLS.c.id == PAGES.c.id)
    .join(SITES, SITES.c.id == PAGES.c.site)
    .where(VERSIONS.c.id.in_(bindparam("ids", expanding=True)))
)
_RECORDS: Select[Any] = (
    select(RECORDS.c.id, RECORDS.c.kind, RECORDS.c.first_at, RECORDS.c.fields, RECORDS.c.links)
    .add_columns(SITES.c.key, URLS.c.url)
    .join_from(RECORDS, SITES, SITES.c.id == RECORDS.c.site)
    .join(URLS, URLS.c.id == RECORDS.c.first_page)
    .where(RECORDS.c.id.in_(bindparam("ids", expanding=True)))
)


def _in_order(connection: Connection, query: Select[Any], numbers: Sequence[int]) -> Iterator[Any]:
    """Yield the rows of a query in the order of their numbers."""
    rows = {row.id: row for row in connection.execute(query, {"ids": list(numbers)})} if numbers else {}
    return (rows[number] for number in numbers if number in rows)


def _documents(connection: Connection, numbers: Sequence[int], snippets: Snippets) -> tuple[DocumentHit, ...]:
    return tuple(
        from_row(
            DocumentHit,
            row,
            title=snippets.mark(" ".join(row.title.split()), 300),
            snippet=snippets.cut(row.said or ""),
        )
        for row in _in_order(connection, _DOCUMENTS, numbers)
    )


def _records(connection: Connection, numbers: Sequence[int], snippets: Snippets) -> tuple[RecordHit, ...]:
    return tuple(
        RecordHit(
            record=row.id,
            site=row.key,
            page=row.url,
            kind=row.kind,
            at=moment(row.first_at),
            fields=tuple(NamedPieces(name, snippets.cut(said)) for name, said in json.loads(row.fields).items()),
            links=tuple(json.loads(row.links)[: LIMITS.told_addresses]),
        )
        for row in _in_order(connection, _RECORDS, numbers)
    )
