"""The search index: split texts into folded words and keep them up to date.

Searches build it from what is stored, so crawls pay nothing for it, and it can be dropped at any time. Both databases
get the same words: without case, accents and width; scripts without spaces, and Korean, as pairs of characters.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    MetaData,
    Result,
    Select,
    Table,
    Text,
    column,
    delete,
    exists,
    func,
    insert,
    select,
    text,
)

from scythe.archive.archive import LOCKS, Archive, sound, write_rows
from scythe.archive.schema import CURSORS, EXTRACTIONS, ID, PAGES, RECORDS, URLS, VERSIONS, WATCHES
from scythe.archive.watches import load_cursor, save_cursor
from scythe.limits import LIMITS

WORD_CHARS = 64  # of one word; more of it tells nothing
TERMS = 24  # of one search that are looked for
QUERY_CHARS = 2_000  # of one search that are looked at

# Thai, Lao, Tibetan, Myanmar; Khmer; kana; Han and its extensions; Hangul
_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED += "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_SIGNED = "\u0900-\u0963\u0966-\u0dff"  # scripts of India: their vowel signs belong to words
_ACCENTS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670"  # Latin, Greek, Cyrillic; Hebrew; Arabic
_RUN = re.compile(f"[{_UNSPACED}]+|(?:[{_SIGNED}{_ACCENTS}]|(?![{_UNSPACED}_])\\w)+")
_ACCENT = re.compile(f"[{_ACCENTS}]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PLAIN_RUN = re.compile(r"[a-z0-9]+")
_PART = re.compile(r'-?"[^"]*"?|[^\s"]+')


def fold(text: str) -> str:
    """Return a text as words are compared: lower case, without accents, full-width letters as plain ones."""
    if text.isascii():
        return text.lower()
    apart = _ACCENT.sub("", normalize("NFKD", text))
    return normalize("NFC", apart.casefold())


def list_words(text: str) -> list[str]:
    """Return the words of a text in its order, as they are kept."""
    folded = fold(text)
    if folded.isascii():
        return [word[:WORD_CHARS] for word in _PLAIN_RUN.findall(folded)]
    words: list[str] = []
    for run in _RUN.findall(folded):
        if _IS_UNSPACED.match(run):
            # the last sign by itself, too: a single sign is looked for by what begins with it
            words += [run[at : at + 2] for at in range(len(run))]
        else:
            words.append(run[:WORD_CHARS])
    return words


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that must, or must not, stand in what is found: words that follow each other."""

    words: tuple[str, ...]
    is_prefix: bool = False  # the last word may go on
    is_unwanted: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """What is marked where it stands: whole runs again, not the pairs of signs that they were cut into."""
        runs: list[str] = []
        for word in self.words:
            if runs and _IS_UNSPACED.match(word) and runs[-1][-1] == word[0]:
                runs[-1] += word[1:]
            else:
                runs.append(word)
        return tuple(runs)


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody looks for."""

    terms: tuple[Term, ...] = ()
    left_out: int = 0  # parts beyond what is looked for


def read_query(text: str) -> Query:
    """Read what somebody typed; nothing in it can be wrong.

    All words must be there; "these words" must follow each other, harv* may go on, -this must not be there.
    """
    terms: list[Term] = []
    left_out = 0
    for part in _PART.findall(text[:QUERY_CHARS]):
        term = _read_term(part)
        if term is None or term in terms:
            continue
        if len(terms) < TERMS:
            terms.append(term)
        else:
            left_out += 1
    if all(term.is_unwanted for term in terms):  # nobody looks for all the rest
        terms = [Term(term.words, term.is_prefix) for term in terms]
    return Query(tuple(terms), left_out + (len(text) > QUERY_CHARS))


def _read_term(part: str) -> Term | None:
    said = part.lstrip("-")
    words = list_words(said)[:WORD_CHARS]
    if not words:
        return None
    is_prefix = said.endswith("*")
    if _IS_UNSPACED.match(words[-1]):
        if len(words) > 1 and len(words[-1]) == 1:
            words.pop()  # the last sign may be followed by others
        is_prefix = is_prefix or len(words[-1]) == 1
    return Term(tuple(words), is_prefix, part.startswith("-"))


def find_marks(text: str, query: Query) -> Iterator[tuple[int, int]]:
    """Yield where words that were looked for stand in a text, as (begin, end), in its order."""
    wanted, begun = _marks(query)
    for run in _RUN.finditer(text):
        word = fold(run.group())
        if _IS_UNSPACED.match(word):
            yield from _find_inside(run.start(), run.end(), word, (*wanted, *begun))
        elif word[:WORD_CHARS] in wanted or (begun and word.startswith(begun)):
            yield run.span()


@lru_cache(maxsize=64)
def _marks(query: Query) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words to be marked, and the beginnings of words."""
    wanted = [term for term in query.terms if not term.is_unwanted]
    begun = tuple(term.marks[-1] for term in wanted if term.is_prefix)
    return frozenset(mark for term in wanted for mark in term.marks), begun


def _find_inside(start: int, end: int, run: str, marks: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where marks stand inside a run without spaces; all of it where folding moved its signs."""
    found = sorted({(at, at + len(mark)) for mark in marks if mark for at in [run.find(mark)] if at >= 0})
    if found and len(run) != end - start:
        yield start, end
        return
    last = 0
    for begin, stop in found:
        if begin >= last:
            yield start + begin, start + stop
            last = stop


def may_hold(folded: str, query: Query) -> bool:
    """Say whether a folded text can hold a word that was looked for: quick, and never wrong about a no."""
    wanted, begun = _marks(query)
    return any(mark in folded for mark in (*wanted, *begun))


FORM = 1  # of the index; another one is thrown away and made again
INDEXERS = -2  # take turns, as writers of one site do
_TABLES = MetaData()
_FORM = "search form"
_BATCH = {"documents": 200, "records": 2_000}  # written at a time: a tenth of a second in which nobody else can write
_BATCH_CHARS = 1_000_000  # the same of texts
_TEXTS = EXTRACTIONS.alias("texts")


def _search_table(name: str, *columns: Column[Any]) -> Table:
    """Return a table of what can be found: what searches are narrowed by, beside the words."""
    table = Table(
        name,
        _TABLES,
        Column("id", ID, primary_key=True, autoincrement=False),
        Column("site", BigInteger, nullable=False),
        Column("kind", Text, nullable=False),
        Column("at", Double, nullable=False),
        Column("is_cut", Boolean, nullable=False),  # only its beginning is found
        *columns,
    )
    Index(f"{name}_site", table.c.site, table.c.kind, table.c.id)
    Index(f"{name}_kind", table.c.kind)
    cut = column("is_cut").is_(True)
    Index(f"{name}_cut", table.c.id, sqlite_where=cut, postgresql_where=cut)
    return table


DOCUMENTS = _search_table("search_documents", Column("page", BigInteger, nullable=False))  # id: versions.id
FOUND_RECORDS = _search_table("search_records")  # id: records.id
TABLES = {"documents": DOCUMENTS, "records": FOUND_RECORDS}
# What is in the columns of words, with the weight of each: SQLite's number, PostgreSQL's letter.
PARTS = {
    "documents": {"title": (8.0, "A"), "said": (1.0, "D"), "address": (2.0, "C")},
    "records": {"said": (2.0, "A"), "address": (1.0, "D")},
}
# SQLite: words that were told apart already; "ascii" takes all other signs for letters. A document is not kept again.
_SQLITE_WORDS = "CREATE VIRTUAL TABLE {name} USING fts5({parts}, content='', tokenize='ascii')"
_POSTGRES_WORDS = (
    "CREATE TABLE {name} (id BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
    "CREATE INDEX {name}_words ON {name} USING gin (words)",
)


def words_table(what: str) -> str:
    """Return the name of the table with the words of documents or of records."""
    return f"{TABLES[what].name}_words"


def is_made(connection: Connection) -> bool:
    """Say whether there is an index of today's form."""
    return load_cursor(connection, _FORM) == FORM


def count_pending(connection: Connection) -> int:
    """Return about how many documents and records are stored, but not found by searches yet."""
    made = is_made(connection)
    return sum(max(_newest(connection, what) - _reached(connection, what, made=made), 0) for what in TABLES)


def index_new(archive: Archive, *, budget_s: float = 0.1) -> int:
    """Add what was stored since the last time, for about so long; return about how much is still to be added."""
    end = time.monotonic() + budget_s
    with archive.reading() as connection:
        if is_made(connection) and all(
            _newest(connection, what) <= load_cursor(connection, _cursor(what)) for what in TABLES
        ):
            return 0
    after = dict.fromkeys(TABLES, 0)
    while True:
        with sound(archive.where), archive.writing(INDEXERS) as connection:
            _make(connection)
            added = [_add_some(archive, connection, what, after) for what in TABLES]
        if not any(added) or time.monotonic() > end:
            break
    with archive.reading() as connection:
        return count_pending(connection)


def _make(connection: Connection) -> None:
    """Make the tables, unless they are there in today's form."""
    if is_made(connection):
        return
    is_sqlite = connection.dialect.name == "sqlite"
    for what, table in TABLES.items():
        name = words_table(what)
        connection.execute(text(f"DROP TABLE IF EXISTS {name}"))
        statements = (_SQLITE_WORDS,) if is_sqlite else _POSTGRES_WORDS
        for statement in statements:
            connection.execute(text(statement.format(name=name, parts=", ".join(PARTS[what]))))
        connection.execute(text(f"DROP TABLE IF EXISTS {table.name}"))
        connection.execute(delete(CURSORS).where(CURSORS.c.name == _cursor(what)))
    _TABLES.create_all(connection)
    save_cursor(connection, _FORM, FORM)


def forget_index(connection: Connection) -> None:
    """Have the index made anew by the next searches: what it holds is no longer what is stored."""
    if is_made(connection):
        save_cursor(connection, _FORM, 0)


def _cursor(what: str) -> str:
    return f"search {what}"


def _add_some(archive: Archive, connection: Connection, what: str, after: dict[str, int]) -> int:
    """Add some of what is new, the oldest first; return how many.

    In PostgreSQL a row may appear after one with a higher number: the cursor moves on only where nobody can have a
    number that was not seen. That is asked before the rows are.
    """
    done, newest = load_cursor(connection, _cursor(what)), _newest(connection, what)
    is_quiet = archive.is_sqlite or _nobody_writes(connection)
    new = _SELECT[what].where(_NUMBER[what] > max(done, after[what]))
    if not archive.is_sqlite:
        new = new.where(~exists().where(TABLES[what].c.id == _NUMBER[what]))
    rows, is_all = _take(connection.execute(new.order_by(_NUMBER[what]).limit(_BATCH[what])), _BATCH[what])
    _write(connection, what, rows)
    after[what] = rows[-1].id if rows else after[what]
    if is_quiet and (is_all or archive.is_sqlite):
        save_cursor(connection, _cursor(what), newest if is_all else after[what])
    return len(rows)


def _take(found: Result[Any], most: int) -> tuple[list[Any], bool]:
    """Return rows until there is enough to do, and whether these are all."""
    rows: list[Any] = []
    chars = 0
    for row in found:
        rows.append(row)
        chars += len(row.said or "")
        if chars > _BATCH_CHARS:
            found.close()
            return rows, False
    return rows, len(rows) < most


def _write(connection: Connection, what: str, rows: Sequence[Any]) -> None:
    """Write rows, and the words of each."""
    entries, told = [], []
    is_sqlite = connection.dialect.name == "sqlite"
    for row in rows:
        parts, is_cut = _tell_apart(_parts(what, row))
        entry = {"id": row.id, "site": row.site, "kind": row.kind, "at": row.at, "is_cut": is_cut}
        entries.append(entry | {"page": row.page} if what == "documents" else entry)
        parts["address"].append(site_word(row.site))
        plain = {part: " ".join(words) for part, words in parts.items()}
        told.append({"id": row.id, **(plain if is_sqlite else {"words": _placed(what, parts)})})
    write_rows(connection, _INSERT[what], entries)
    if told:
        connection.exec_driver_sql((_SQLITE_INSERT if is_sqlite else _POSTGRES_INSERT)[what], told)


def site_word(site: int) -> str:
    """Return what stands among the words for the site, to narrow a search before rows are read; no text has it."""
    return f"\ue000{site}"


def _parts(what: str, row: Any) -> dict[str, str]:
    """Return the texts that are found of a document or a record."""
    if what == "documents":
        return {"title": row.title, "address": _plain_address(row.address), "said": row.said or ""}
    fields, links = json.loads(row.said), json.loads(row.links)[: LIMITS.told_addresses]
    return {"address": " ".join(map(_plain_address, links)), "said": "\n".join(fields.values())}


def _plain_address(address: str) -> str:
    """Return the words of an address without those that all have."""
    rest = address.partition("://")[2] or address
    return unquote(rest.removeprefix("www."), errors="replace")


def _tell_apart(parts: dict[str, str]) -> tuple[dict[str, list[str]], bool]:
    """Return the words of each text, and whether there were more of them than are kept."""
    words: dict[str, list[str]] = {}
    is_cut = False
    left_words, left_bytes = LIMITS.searched_words, LIMITS.searched_bytes
    for part, said in parts.items():
        ours = list_words(said[: LIMITS.searched_chars])
        size = sum(map(len, ours)) if said.isascii() else sum(len(word.encode()) for word in ours)
        kept = ours[:left_words]
        while kept and size > left_bytes:
            kept = kept[: len(kept) // 2]
            size = sum(len(word.encode()) for word in kept)
        is_cut = is_cut or len(kept) < len(ours) or len(said) > LIMITS.searched_chars
        left_words, left_bytes = left_words - len(kept), left_bytes - size
        words[part] = kept
    return words, is_cut


def _placed(what: str, parts: dict[str, list[str]]) -> str:
    """Return words with place and weight, as PostgreSQL reads them; a gap keeps those of two texts apart."""
    said: list[str] = []
    place = 0
    for part, words in parts.items():
        letter = PARTS[what][part][1]
        said += [f"{word}:{place + number}{letter}" for number, word in enumerate(words, start=1)]
        place += len(words) + 1
    return " ".join(said)


def _newest(connection: Connection, what: str) -> int:
    return int(connection.execute(select(func.max(_NUMBER[what]))).scalar() or 0)


def _reached(connection: Connection, what: str, *, made: bool) -> int:
    """Return the highest number that searches find."""
    if not made:
        return 0
    highest = connection.execute(select(func.max(TABLES[what].c.id))).scalar() or 0
    return max(int(highest), load_cursor(connection, _cursor(what)))


def _nobody_writes(connection: Connection) -> bool:
    """Say whether no other transaction stores anything: all that do hold a lock before they take numbers."""
    held = (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :locks AND pid <> pg_backend_pid()"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    return not connection.execute(text(held), {"locks": LOCKS}).scalar()


_NUMBER = {"documents": VERSIONS.c.id, "records": RECORDS.c.id}
_INSERT = {what: insert(table) for what, table in TABLES.items()}
_SQLITE_INSERT = {
    what: f"INSERT INTO {words_table(what)} (rowid, {', '.join(parts)}) "  # noqa: S608 (names of ours)
    f"VALUES (:id, {', '.join(f':{part}' for part in parts)})"
    for what, parts in PARTS.items()
}
_POSTGRES_INSERT = {
    what: f"INSERT INTO {words_table(what)} (id, words) VALUES (%(id)s, %(words)s::tsvector)"  # noqa: S608
    for what in PARTS
}
_SELECT: dict[str, Select[Any]] = {
    "documents": select(VERSIONS.c.id, VERSIONS.c.page, PAGES.c.site, EXTRACTIONS.c.kind, VERSIONS.c.at)
    .add_columns(EXTRACTIONS.c.title, URLS.c.url.label("address"))
    .add_columns(
        func.substr(func.coalesce(EXTRACTIONS.c.text, _TEXTS.c.text), 1, LIMITS.searched_chars + 1).label("said")
    )
    .join_from(VERSIONS, PAGES, PAGES.c.id == VERSIONS.c.page)
    .join(EXTRACTIONS, EXTRACTIONS.c.version == VERSIONS.c.id)
    .join(_TEXTS, _TEXTS.c.version == EXTRACTIONS.c.text_of, isouter=True)
    .join(URLS, URLS.c.id == PAGES.c.id)
    .where(PAGES.c.id.not_in(select(WATCHES.c.id))),  # of lists that are watched, records are kept and nothing else
    "records": select(RECORDS.c.id, RECORDS.c.site, RECORDS.c.kind, RECORDS.c.first_at.label("at")).add_columns(
        RECORDS.c.fields.label("said"), RECORDS.c.links
    ),
}
