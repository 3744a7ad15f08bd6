"""The tables of an archive (SQLAlchemy Core), and conversion of values to what a database can hold.

Times are seconds since 1970 (UTC) as doubles, the same in SQLite and PostgreSQL. Hashes are 16 bytes. Partial indexes
cover the frequent queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    and_,
    column,
    literal_column,
)

HASH_BYTES = 16  # two of 10^9 different texts are equal with a chance of 10^-21


def digest(body: bytes) -> bytes:
    """Return the hash by which an archive knows `body`."""
    return blake2b(body, digest_size=HASH_BYTES).digest()


def digest_text(text: str) -> bytes:
    """Return the hash of a text; half characters, which JSON may bring, count as they are."""
    return digest(text.encode("utf-8", "surrogatepass"))


def checksum(values: Iterable[str | None]) -> bytes:
    """Return the hash of several storable texts, in order."""
    return digest("\x00".join(["\x00" if value is None else value for value in values]).encode())


def storable(text: str) -> str:
    """Return `text` with U+FFFD for what databases refuse: NUL (PostgreSQL) and halves of characters (both)."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def storable_json(values: object) -> str:
    """Return plain values as JSON that databases take."""
    return storable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


def seconds(at: datetime) -> float:
    """Return the seconds since 1970 of an aware time."""
    return at.timestamp()


def moment(at: float) -> datetime:
    """Return the UTC time of so many seconds since 1970."""
    return datetime.fromtimestamp(at, UTC)


TABLES = MetaData()
ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only where the type is INTEGER

# One row. Its presence tells an archive from any other database.
ARCHIVE = Table(
    "scythe_archive",
    TABLES,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),  # of the tables
    Column("made_at", Double, nullable=False),
    Column("made_by", Text, nullable=False),  # version of scythe
)

SITES = Table(
    "sites",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("start", Text, nullable=False),
    Column("added_at", Double, nullable=False),
    Column("notes", Text, nullable=False, server_default=""),  # what the crawler of it keeps in mind
    Column("learner", Text),  # Owner.to_text of the one process that learns it; NULL: nobody does
    Column("learner_until", Double),  # its right runs out
)

# Who may ask a host. It belongs to no site: two sites that share a host share its pause.
HOSTS = Table(
    "hosts",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("free_at", Double, nullable=False, server_default="0"),  # no request before
    Column("slow", Double, nullable=False, server_default="1"),
    Column("owner", Text),  # Owner.to_text; NULL: nobody holds it
    Column("until", Double),  # the hold runs out
    Column("wanted_by", Text),
    Column("wanted_at", Double),
)

SITE_HOSTS = Table(
    "site_hosts",
    TABLES,
    Column("site", ForeignKey("sites.id"), primary_key=True),
    Column("host", ForeignKey("hosts.id"), primary_key=True),
    sqlite_with_rowid=False,
)

# The frontier. An address waits for a visit exactly where `due_at` is set.
URLS = Table(
    "urls",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("site", ForeignKey("sites.id"), nullable=False),
    Column("host", ForeignKey("hosts.id"), nullable=False),
    Column("key", LargeBinary, nullable=False),  # hash of Found.key: addresses are longer than an index takes
    Column("url", Text, nullable=False),
    Column("how", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("hops", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("state", Text, nullable=False),  # one of visits.STATES
    Column("why", Text, nullable=False, server_default=""),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due_at", Double),
    Column("found_on", ID),  # the address whose page named it
    Column("found_at", Double, nullable=False),
    Column("visited_at", Double),
    Column("etag", Text, nullable=False, server_default=""),
    Column("modified", Text, nullable=False, server_default=""),
    UniqueConstraint("site", "key"),
    CheckConstraint("(state IN ('new', 'retry')) = (due_at IS NOT NULL)", name="waiting_is_due"),
)
_WAITS = column("due_at").is_not(None)
_BY_RANK = ("site", "host", "rank", "depth", "id", "due_at", "kind")
Index(
    "urls_waiting",
    *(URLS.c[name] for name in _BY_RANK),  # the last two to count from it alone
    sqlite_where=_WAITS,
    postgresql_where=_WAITS,
)
# Those that a watch asks for, found beside any number that wait for a crawl. A query must say it in the same words.
IS_WATCHED = URLS.c.kind.in_([literal_column("'list'"), literal_column("'item'")])
_WATCHED = and_(_WAITS, IS_WATCHED)
Index("urls_watched", *(URLS.c[name] for name in _BY_RANK), sqlite_where=_WATCHED, postgresql_where=_WATCHED)

# Every request, with the response as it came where that is kept.
FETCHES = Table(
    "fetches",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("url", ForeignKey("urls.id"), nullable=False, index=True),
    Column("site", ForeignKey("sites.id"), nullable=False, index=True),
    Column("at", Double, nullable=False),
    Column("status", Integer),  # NULL: no answer
    Column("state", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("is_unchanged", Boolean, nullable=False),
    Column("cut_at_bytes", BigInteger),
    Column("headers", Text),  # JSON list of pairs; NULL: not kept
    Column("body", ForeignKey("bodies.hash")),  # NULL: not kept
)

# What pages of a site share, by which their bodies are packed: a page is then little more than what is new on it.
DICTIONARIES = Table(
    "dictionaries",
    TABLES,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # from the digest of what is packed
    Column("site", ForeignKey("sites.id"), nullable=False, index=True),
    Column("packed", LargeBinary, nullable=False),  # zstd
    Column("size", BigInteger, nullable=False),
    Column("bodies", BigInteger, nullable=False),  # that were packed by it
    Column("next_try", BigInteger, nullable=False),  # at so many bodies it is seen whether another would do better
    Column("at", Double, nullable=False),
)

BODIES = Table(
    "bodies",
    TABLES,
    Column("hash", LargeBinary, primary_key=True),  # digest of the body
    Column("size", BigInteger, nullable=False),  # of the body
    Column("packed", LargeBinary, nullable=False),  # the body, zstd; empty where another store has it
    Column("store", Text),  # the name of that store; NULL: the body is here
    Column("dictionary", ForeignKey("dictionaries.id")),  # by which it is packed; NULL: by none
)

# An address whose body was extracted at least once, as it is now.
PAGES = Table(
    "pages",
    TABLES,
    Column("id", ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("site", ForeignKey("sites.id"), nullable=False, index=True),
    Column("version", ID, nullable=False),  # the newest; versions.id
    Column("versions", Integer, nullable=False),
    Column("is_complete", Boolean, nullable=False),
    Column("body_hash", LargeBinary, nullable=False),
    Column("text_hash", LargeBinary),  # NULL: too little text to tell pages apart
    Column("simhash", BigInteger),  # signed
    Column("duplicate_of", ForeignKey("pages.id")),
    Column("first_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("gone_at", Double),
)
# Of pages with equal content, one is no duplicate: only that one is looked up, however many there are.
_FIRST = column("duplicate_of").is_(None)
_COPY = column("duplicate_of").is_not(None)
Index("pages_body", PAGES.c.body_hash, sqlite_where=_FIRST, postgresql_where=_FIRST)
Index("pages_text", PAGES.c.text_hash, sqlite_where=_FIRST, postgresql_where=_FIRST)
Index("pages_copies", PAGES.c.duplicate_of, sqlite_where=_COPY, postgresql_where=_COPY)

VERSIONS = Table(
    "versions",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("page", ForeignKey("pages.id"), nullable=False),
    Column("number", Integer, nullable=False),  # 1, 2, ... of its page
    Column("at", Double, nullable=False),
    Column("body_hash", LargeBinary, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("is_complete", Boolean, nullable=False),
    Column("duplicate_of", ID),  # page that had the same body or text then
    Column("near", ID),  # page that had nearly the same text then
    Column("body", ForeignKey("bodies.hash")),  # the page as it came; NULL: not kept
    UniqueConstraint("page", "number"),
)

EXTRACTIONS = Table(
    "extractions",
    TABLES,
    Column("version", ForeignKey("versions.id"), primary_key=True, autoincrement=False),
    Column("text_of", ForeignKey("extractions.version")),  # where the text is, if not here
    Column("title", Text, nullable=False),
    Column("text", Text),  # NULL where text_of is set
    Column("markdown", Text),
    Column("html", Text),
    Column("rest", Text, nullable=False),  # JSON
    Column("kind", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("published", Text, nullable=False),
    Column("how", Text, nullable=False),
    Column("cut_fields", Integer, nullable=False),
    Column("tree_fields", Integer, nullable=False),
    Column("missing_fields", Integer, nullable=False),
    Column("checksum", LargeBinary),  # of the texts in this row, CHECKED; NULL: of an old archive
    Column("profile", Integer),  # profiles.version by which it was extracted; 0: nothing was learned; NULL: unknown
    Column("made_by", Text, nullable=False, server_default=""),  # version of scythe; empty: unknown
)
_HAS_TEXT_ELSEWHERE = column("text_of").is_not(None)
Index(
    "extractions_text_of",
    EXTRACTIONS.c.text_of,
    sqlite_where=_HAS_TEXT_ELSEWHERE,
    postgresql_where=_HAS_TEXT_ELSEWHERE,
)

# Where to look for texts that differ in a few bits of their fingerprint: near.py
NEAR = Table(
    "near",
    TABLES,
    Column("bucket", BigInteger, primary_key=True, autoincrement=False),
    Column("page", ForeignKey("pages.id"), primary_key=True),
    Column("simhash", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

RECORDS = Table(
    "records",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("site", ForeignKey("sites.id"), nullable=False),
    Column("identity", LargeBinary, nullable=False),
    Column("told_by", Text, nullable=False),  # what makes it itself: links, fields, both
    Column("kind", Text, nullable=False),  # of its list
    Column("fields", Text, nullable=False),  # JSON object: column -> text
    Column("fields_hash", LargeBinary, nullable=False),
    Column("links", Text, nullable=False),  # JSON list
    Column("images", Text, nullable=False),  # JSON list
    Column("html", Text, nullable=False),
    Column("first_page", ForeignKey("pages.id"), nullable=False),
    Column("first_at", Double, nullable=False),
    Column("checksum", LargeBinary),  # as in extractions
    Column("watch", ID),  # the watched page that showed it first; NULL: a crawl found it
    UniqueConstraint("site", "identity"),
)
_FROM_WATCH = column("watch").is_not(None)
Index("records_watched", RECORDS.c.id, sqlite_where=_FROM_WATCH, postgresql_where=_FROM_WATCH)
# those of one page, behind where a hook stands, beside any number that other pages brought since
Index("records_of_watch", RECORDS.c.watch, RECORDS.c.id, sqlite_where=_FROM_WATCH, postgresql_where=_FROM_WATCH)

SIGHTINGS = Table(
    "sightings",
    TABLES,
    Column("record", ForeignKey("records.id"), primary_key=True),
    Column("page", ForeignKey("pages.id"), primary_key=True, index=True),
    Column("first_at", Double, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("times", Integer, nullable=False),
    Column("fields", Text),  # as last seen here, where they differ from the record's own
    Column("list_number", SmallInteger),  # of the page, 0 is the one it is about: where it was last seen
    Column("place", Integer),  # in its list
    sqlite_with_rowid=False,
)

# Columns whose values a checksum beside them covers: nothing else would notice that they were damaged.
CHECKED = {
    EXTRACTIONS.name: ("title", "text", "markdown", "html", "rest", "kind", "language", "published", "how"),
    RECORDS.name: ("told_by", "kind", "fields", "links", "images", "html"),
}


def is_as_stored(table: Table, row: Any, prefix: str = "") -> bool:
    """Compare the checked texts of a row, `prefix` before their names, with their sum; without one nobody knows."""
    expected = getattr(row, f"{prefix}checksum")
    try:
        return expected is None or checksum(getattr(row, prefix + name) for name in CHECKED[table.name]) == expected
    except (TypeError, UnicodeError):
        return False


PROFILES = Table(
    "profiles",
    TABLES,
    Column("site", ForeignKey("sites.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("profile", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
    Column("rules", LargeBinary),  # digest of its rules: extractions by others are not up to date; NULL: unknown
)

ROBOTS = Table(
    "robots",
    TABLES,
    Column("origin", Text, primary_key=True),
    Column("status", SmallInteger),  # NULL: no answer
    Column("body", LargeBinary, nullable=False),
    Column("fetched_at", Double, nullable=False),
)

# A list page that is watched: the address `urls.id`, of kind "list".
WATCHES = Table(
    "watches",
    TABLES,
    Column("id", ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("site", ForeignKey("sites.id"), nullable=False, index=True),
    Column("options", Text, nullable=False),  # JSON
    Column("notes", Text, nullable=False, server_default=""),  # what its watch keeps in mind, JSON
    Column("added_at", Double, nullable=False),
    Column("ended_at", Double),  # NULL: it is watched
)

# What repeats on a watched page, as it was left by the last visit.
LISTS = Table(
    "lists",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("watch", ForeignKey("watches.id"), nullable=False),
    Column("number", Integer, nullable=False),  # 1, 2, ... of its page
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("pattern", Text, nullable=False),
    Column("columns", Text, nullable=False),  # JSON list, as the next three
    Column("shapes", Text, nullable=False),
    Column("newest", Text, nullable=False),
    Column("sticky", Text, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("shown", Integer, nullable=False),  # records, when it was last there
    Column("has_gap", Boolean, nullable=False),
    Column("estimator", Text, nullable=False),  # JSON
    Column("wait_s", Double),  # the plan; NULL: it does not matter for the next visit
    Column("expected", Double, nullable=False),
    Column("risk", Double, nullable=False),
    Column("rate", Double, nullable=False),
    Column("why", Text, nullable=False),
    Column("first_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),  # when it was last there
    Column("missing", Integer, nullable=False),  # visits in a row without it
    Column("looks", Integer, nullable=False),  # visits that saw it
    Column("records", BigInteger, nullable=False),  # that were new, in all
    Column("lost", BigInteger, nullable=False),  # at least so many were missed, in all
    UniqueConstraint("watch", "number"),
)

# The journal: every list at every visit. In the order of `id`: clocks jump.
LOOKS = Table(
    "looks",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("list", ForeignKey("lists.id"), nullable=False),
    Column("at", Double, nullable=False),
    Column("since_s", Double),  # NULL: the first visit, or nobody knows
    Column("shown", Integer),  # NULL: the list was not there
    Column("new", Integer, nullable=False),
    Column("known", Integer, nullable=False),
    Column("recovered", Integer, nullable=False),
    Column("lost", Integer, nullable=False),
    Column("is_full", Boolean, nullable=False),
    Column("has_gap", Boolean, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("wait_s", Double),  # the plan that was made; NULL: none
    Column("expected", Double, nullable=False),
    Column("risk", Double, nullable=False),
    Column("rate", Double, nullable=False),
    Column("why", Text, nullable=False),
)
Index("looks_list", LOOKS.c.list, LOOKS.c.id)

# How far somebody has come who takes new records one after the other: a hook, a feed.
CURSORS = Table(
    "cursors",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),  # records.id
)

# What was handed over to workers: a site to crawl, or to watch for as long as a page of it is watched. Jobs come and
# go; this is what is wanted.
ASSIGNMENTS = Table(
    "assignments",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("site", ForeignKey("sites.id"), nullable=False),
    Column("kind", Text, nullable=False),  # crawl or watch
    Column("start", Text, nullable=False),
    Column("options", Text, nullable=False),  # JSON of CrawlOptions or WatchOptions
    Column("state", Text, nullable=False),  # open, done, failed or cancelled
    Column("why", Text, nullable=False, server_default=""),
    Column("attempts", Integer, nullable=False, server_default="0"),  # in a row that failed
    Column("added_at", Double, nullable=False),
    Column("began_at", Double),  # the last attempt
    Column("ended_at", Double),
    UniqueConstraint("site", "kind"),
)

# Processes that work assignments off, as they last said of themselves.
WORKERS = Table(
    "workers",
    TABLES,
    Column("owner", Text, primary_key=True),  # Owner.to_text
    Column("name", Text, nullable=False),  # for people: machine and process
    Column("made_by", Text, nullable=False),  # version of scythe
    Column("began_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("heartbeat_s", Double, nullable=False),  # silent for longer: it counts as gone
    Column("places", Integer, nullable=False),  # sites at once
    Column("sites", Text, nullable=False, server_default="[]"),  # JSON list: keys of those it works on
    Column("number", BigInteger),  # by which the job engine knows it
)

# Requests of another crawler that keeps its frontier here.
REQUESTS = Table(
    "requests",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("crawl", Text, nullable=False),  # whose: two crawls do not see each other's
    Column("key", LargeBinary),  # one request of a crawl; NULL: it may be asked again
    Column("host", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("priority", Integer, nullable=False),  # higher is sooner
    Column("request", Text, nullable=False),  # JSON
    Column("state", Text, nullable=False),  # waiting, done or failed
    Column("owner", Text),  # Owner.to_text of who asks it now; NULL: nobody
    Column("until", Double),  # that hold runs out
    Column("found_at", Double, nullable=False),
    Column("ended_at", Double),
    UniqueConstraint("crawl", "key"),
)
_ASKED = column("state") == literal_column("'waiting'")
Index(
    "requests_waiting",
    REQUESTS.c.crawl,
    REQUESTS.c.host,
    REQUESTS.c.priority.desc(),
    REQUESTS.c.id,
    sqlite_where=_ASKED,
    postgresql_where=_ASKED,
)
_IN_HAND = column("owner").is_not(None)
Index("requests_held", REQUESTS.c.owner, sqlite_where=_IN_HAND, postgresql_where=_IN_HAND)  # few of them, at any time
