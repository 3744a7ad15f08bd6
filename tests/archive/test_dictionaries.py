import random
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from tests.archive.visiting import NOW, SITE, done

from scythe.archive.archive import Archive
from scythe.archive.dictionaries import FIRST_PAGES, PageDictionary, choose_pages
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_raw
from scythe.archive.schema import BODIES, DICTIONARIES, VERSIONS
from scythe.archive.stored_sites import add_site
from scythe.archive.verify import verify_archive
from scythe.crawl_model import FoundUrl, Raw
from scythe.errors import ArchiveFailed
from scythe.url import Url


def made_pages(count: int, seed: int = 1, design: str = "a") -> list[bytes]:
    """Pages that share what is around their texts, and nothing else."""
    words = random.Random(seed)
    shared = random.Random(design)
    frame = "".join(f"<div class='{shared.getrandbits(60):x}'>{shared.getrandbits(90):x}</div>" for _ in range(100))
    texts = ("".join(f"<p>{words.getrandbits(200):x}</p>" for _ in range(4)) for _ in range(count))
    return [f"<html>{frame}<main>{text}</main>{frame[::-1]}</html>".encode() for text in texts]


def store(archive: Archive, bodies: list[bytes], name: str = "p", host: str = "site.example") -> None:
    """Store pages of a site in batches, as a crawl does."""
    site = add_site(archive, host, SITE)
    for start in range(0, len(bodies), 10):
        some = bodies[start : start + 10]
        add_urls(archive, site, [FoundUrl(Url(f"https://{host}/{name}{start + n}"), host) for n in range(len(some))])
        tasks = next_tasks(archive, site, host, 99, now=NOW)
        raws = [Raw(200, (), body) for body in some]
        store_outcomes(archive, [done(task, task.url, raw=raw) for task, raw in zip(tasks, raws, strict=True)])


def packed_bytes(archive: Archive) -> int:
    with archive.reading() as connection:
        return int(connection.execute(select(func.sum(func.length(BODIES.c.packed)))).scalar_one())


def count(archive: Archive, *conditions: object) -> int:
    with archive.reading() as connection:
        return int(connection.execute(select(func.count()).where(*conditions)).scalar_one())  # type: ignore[arg-type]


def test_pages_are_packed_by_what_they_share_and_come_back_as_they_were(archive: Archive) -> None:
    bodies = made_pages(60)
    store(archive, bodies)
    assert {raw.body for raw in read_raw(archive, PageQuery())} == set(bodies)
    assert count(archive, BODIES.c.dictionary.is_(None)) == 0  # those before it was made, too
    assert packed_bytes(archive) < 0.5 * sum(len(PageDictionary(b"as good as nothing").pack(body)) for body in bodies)
    assert verify_archive(archive) == []


def test_every_version_knows_the_page_it_was_made_of(archive: Archive) -> None:
    store(archive, made_pages(5))
    assert count(archive, VERSIONS.c.body == BODIES.c.hash) == 5


def test_few_pages_are_packed_one_by_one(archive: Archive) -> None:
    store(archive, made_pages(FIRST_PAGES - 1))
    assert count(archive, DICTIONARIES.c.id.is_not(None)) == 0


def test_two_sites_with_the_same_pages_have_a_dictionary_each(archive: Archive) -> None:
    store(archive, made_pages(20))
    store(archive, made_pages(40), host="other.example")
    assert count(archive, DICTIONARIES.c.id.is_not(None)) == 2


def test_another_dictionary_is_made_once_pages_look_different(archive: Archive) -> None:
    store(archive, made_pages(40))
    store(archive, made_pages(120, design="b"), name="q")
    assert count(archive, DICTIONARIES.c.id.is_not(None)) == 2
    assert len({raw.body for raw in read_raw(archive, PageQuery())}) == 160
    assert verify_archive(archive) == []


def test_no_other_dictionary_is_made_where_it_would_not_help(archive: Archive) -> None:
    store(archive, made_pages(160))
    assert count(archive, DICTIONARIES.c.id.is_not(None)) == 1


def test_what_is_in_a_store_can_be_read_without_the_archive(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db", store=f"folder:{tmp_path / 'bodies'}") as archive:
        store(archive, made_pages(40))
        assert count(archive, DICTIONARIES.c.id.is_not(None)) == 0
        assert count(archive, BODIES.c.store.is_not(None)) == 40


def test_a_damaged_dictionary_is_told(where: str) -> None:
    with open_archive(where) as archive:
        store(archive, made_pages(30))
        with archive.writing() as connection:
            connection.execute(
                text("UPDATE dictionaries SET packed = :packed, size = 7"),
                {"packed": PageDictionary(b"as good as nothing").pack(b"nothing")},
            )
    with open_archive(where) as archive:
        with pytest.raises(
            ArchiveFailed, match=r"dictionary [0-9]+, by which bodies are packed, is missing or damaged"
        ):
            list(read_raw(archive, PageQuery()))
        assert verify_archive(archive) != []


def test_dictionaries_beyond_those_in_memory_are_read_again(where: str) -> None:
    with open_archive(where) as archive:
        for number in range(18):
            store(archive, made_pages(17, seed=number, design=str(number)), host=f"{number}.example")
        assert len(list(read_raw(archive, PageQuery()))) == 18 * 17


def test_a_dictionary_is_of_pages_that_differ_and_not_longer_than_it_may_be() -> None:
    pages = [random.Random(number).randbytes(150_000) for number in range(12)]
    first = choose_pages(1, pages)
    assert 500_000 < len(first.content) <= 512_000
    later_one = choose_pages(1, made_pages(30), first)
    assert len(later_one.content) <= 512_000
    assert len(later_one.pack(made_pages(31)[-1])) < len(first.pack(made_pages(31)[-1])) / 2
