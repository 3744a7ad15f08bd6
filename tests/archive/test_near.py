from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.visiting import begin, done, extracted

from scythe.archive.archive import Archive
from scythe.archive.frontier import requeue
from scythe.archive.open import open_archive
from scythe.archive.outcomes import BITS_APART, BUCKET, _buckets, find_near, signed, store_outcomes
from scythe.crawl_model import Outcome, Task

FINGERPRINTS = st.integers(0, 2**64 - 1)


@given(FINGERPRINTS, st.sets(st.integers(0, 63), max_size=BITS_APART))
def test_fingerprints_three_bits_apart_share_a_bucket(simhash: int, flips: set[int]) -> None:
    other = simhash
    for bit in flips:
        other ^= 1 << bit
    assert set(_buckets(7, signed(simhash))) & set(_buckets(7, signed(other)))


@given(FINGERPRINTS)
def test_sites_share_no_bucket(simhash: int) -> None:
    assert not set(_buckets(1, signed(simhash))) & set(_buckets(2, signed(simhash)))


def page(task: Task, simhash: int, body: str = "") -> Outcome:
    return done(task, body=body or task.url, extracted=extracted(task.url, simhash=simhash))


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(0, 255), min_size=1, max_size=20, unique=True))
def test_near_pages_are_those_that_a_search_of_all_would_find(low_bits: list[int]) -> None:
    with TemporaryDirectory() as folder, open_archive(Path(folder) / "a.db") as archive:
        _, tasks = begin(archive, *(str(number) for number in range(len(low_bits))))
        known: list[tuple[int, int]] = []
        for task, bits in zip(tasks, low_bits, strict=True):
            (receipt,) = store_outcomes(archive, [page(task, bits)])
            near = [other for other, theirs in known if (theirs ^ bits).bit_count() <= BITS_APART]
            assert (receipt.near in near) if near else (receipt.near is None)
            if not near:
                known.append((task.id, bits))


def test_a_page_that_changed_is_not_near_to_what_it_was(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    store_outcomes(archive, [page(tasks[0], 5)])
    requeue(archive, site)
    (receipt,) = store_outcomes(archive, [page(tasks[0], 6, body="other")])
    assert (receipt.stored, receipt.near) == ("changed", None)
    requeue(archive, site)
    store_outcomes(archive, [page(tasks[0], 2**60 - 1, body="a third")])
    assert store_outcomes(archive, [page(tasks[1], 5)])[0].near is None


def test_a_crowded_bucket_takes_no_more(archive: Archive) -> None:
    site, tasks = begin(archive, *(str(number) for number in range(BUCKET + 20)))
    spread = [number * 0x0101_0101_0101 << 16 for number in range(BUCKET + 20)]
    store_outcomes(archive, [page(task, bits) for task, bits in zip(tasks, spread, strict=True)])
    assert most_in_a_bucket(archive) <= BUCKET
    with archive.writing(site) as connection:
        assert find_near(connection, [(site, tasks[-1].id, 0)]) == {tasks[-1].id: tasks[0].id}


def most_in_a_bucket(archive: Archive) -> int:
    with archive.reading() as connection:
        rows = connection.exec_driver_sql("SELECT count(*) FROM near GROUP BY bucket ORDER BY 1 DESC LIMIT 1")
        return int(rows.scalar() or 0)
