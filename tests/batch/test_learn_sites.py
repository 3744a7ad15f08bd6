"""Learning the sites of a batch: which pages are learned from, what is kept, and what is not done twice."""

import gzip
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scythe.archive.results import StoredRaw
from scythe.batch import learn_sites
from scythe.batch import learn_sites as scanning
from scythe.batch.batch_options import BatchOptions
from scythe.batch.extract_unit import extract_unit
from scythe.batch.learn_sites import (
    LearnTask,
    PagePlace,
    ScanTask,
    SiteSample,
    choose,
    learn_profiles,
    learn_site,
    merge_scans,
    read_spots,
    scan_unit,
)
from scythe.batch.units import Unit, plan_units
from scythe.demo import site as demo_site
from scythe.errors import BadInput
from scythe.output.warc import WarcFile
from scythe.page.encoding import decode
from scythe.site.profile_folder import ProfileFolder, site_of
from scythe.url import Url

DEMO = demo_site(pages=40)
BIG, SMALL = "big.scythe.example", "small.scythe.example"
LEAST = BatchOptions().learn_from


def one_by_one(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any, str]]:
    """Do what an engine does, in this process."""
    for item in items:
        yield item, function(item), ""


def responses(host: str, first: int, last: int) -> list[StoredRaw]:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        StoredRaw(Url(f"https://{host}{page.path}"), when, 200, (("Content-Type", page.content_type),), page.html)
        for page in DEMO[first:last]
    ]


def write_warc(path: Path, raws: Iterable[StoredRaw], *, compressed: bool = True) -> Path:
    with path.open("wb") as file:
        warc = WarcFile(file, made_at=datetime(2026, 1, 1, tzinfo=UTC), compressed=compressed)
        for raw in raws:
            warc.put(raw)
        warc.close()
    return path


@dataclass(frozen=True)
class Learned:
    """A batch whose sites were learned once for all tests."""

    units: list[Unit]
    options: BatchOptions
    profiles: Path
    report: Any


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    folder = tmp_path_factory.mktemp("batch")
    write_warc(folder / "one.warc.gz", [*responses(BIG, 0, 22), *responses(SMALL, 0, LEAST - 1)])
    write_warc(folder / "two.warc.gz", responses(BIG, 20, len(DEMO)))
    units, profiles = plan_units([str(folder)]), folder / "profiles"
    options = BatchOptions(profiles=str(profiles))
    return Learned(units, options, profiles, learn_profiles(units, profiles, options, one_by_one))


def test_sites_with_enough_pages_are_learned_and_others_counted(learned: Learned) -> None:
    report = learned.report
    assert report.learned == (BIG,)
    assert report.few == 1
    assert report.failures == report.damages == 0
    assert report.pages == len(DEMO) + 2 + LEAST - 1  # two pages are in both files
    assert report.cpu_s > 0


def test_pages_of_a_learned_site_are_cut(learned: Learned, tmp_path: Path) -> None:
    unit = learned.units[1]
    report = extract_unit(unit, tmp_path, learned.options)
    assert report.documents == len(DEMO) - 20
    assert report.how.get("cut", 0) + report.how.get("mixed", 0) >= 0.7 * report.documents
    assert report.profiles == {BIG: ProfileFolder(learned.profiles).digest_of(BIG)}


def test_the_same_pages_are_learned_from_in_whatever_order_units_are_done(learned: Learned, tmp_path: Path) -> None:
    learn_profiles(learned.units[::-1], tmp_path, learned.options, lambda do, items: one_by_one(do, list(items)[::-1]))
    assert ProfileFolder(tmp_path).digest_of(BIG) == ProfileFolder(learned.profiles).digest_of(BIG)


def test_a_second_run_over_the_same_files_does_nothing(learned: Learned) -> None:
    def refuse(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        raise AssertionError("nothing is left to do")

    again = learn_profiles(learned.units, learned.profiles, learned.options, refuse)
    assert again.resumed
    assert again.learned == learned.report.learned


def test_a_site_that_has_a_profile_is_not_learned_again(learned: Learned, tmp_path: Path) -> None:
    theirs = ProfileFolder(learned.profiles).file_of(BIG).read_bytes()
    ProfileFolder(tmp_path).file_of(BIG).write_bytes(theirs)
    done: list[object] = []

    def count(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any, str]]:
        for one in one_by_one(function, items):
            done.append(one[0])
            yield one

    report = learn_profiles(learned.units, tmp_path, learned.options, count)
    assert report.learned == ()
    assert report.pages == LEAST - 1  # of the small site
    assert len(done) == len(learned.units)  # looked through, and nothing was learned
    assert ProfileFolder(tmp_path).file_of(BIG).read_bytes() == theirs


def test_a_profile_that_vanished_is_learned_again(learned: Learned, tmp_path: Path) -> None:
    for path in learned.profiles.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    ProfileFolder(tmp_path).file_of(BIG).unlink()
    asked: list[object] = []

    def note(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any, str]]:
        for item in items:
            asked.append(item)
            yield item, None, "died"

    report = learn_profiles(learned.units, tmp_path, learned.options, note)
    assert not report.resumed
    assert len(asked) == len(learned.units)


def test_what_could_not_be_learned_is_told_and_stops_nothing(learned: Learned, tmp_path: Path) -> None:
    def die_of_learning(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any, str]]:
        for item in items:
            yield (
                (item, function(item), "")
                if isinstance(item, ScanTask)
                else (item, None, "ended its process by SIGSEGV")
            )

    report = learn_profiles(learned.units, tmp_path, learned.options, die_of_learning)
    assert report.learned == ()
    assert report.failed == {BIG: "ended its process by SIGSEGV"}
    assert report.failures == 1


def seen(folder: Path, units: list[Unit]) -> list[str]:
    return [one.to_line() for one in merge_scans(folder, [unit.name for unit in units])]


def test_lists_are_joined_alike_however_many_are_read_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        raws = [*responses(BIG, number * 3, number * 3 + 8), *responses(f"h{number % 3}.example", 0, number)]
        write_warc(tmp_path / f"{number}.warc.gz", raws)
    units = plan_units([str(tmp_path)])
    scans = tmp_path / "scans"
    scans.mkdir()
    for unit in units:
        scan_unit(unit, BatchOptions(), scans, tmp_path / "none")
    at_once = seen(scans, units)
    monkeypatch.setattr(scanning, "_FAN_IN", 2)
    assert seen(scans, units[::-1]) == at_once
    assert not list(scans.glob(".joined*"))


def test_a_page_that_was_kept_twice_is_one_page_to_learn_from(tmp_path: Path) -> None:
    write_warc(tmp_path / "twice.warc.gz", [*responses(BIG, 0, 5), *responses(BIG, 0, 5)])
    units = plan_units([str(tmp_path)])
    scan_unit(units[0], BatchOptions(), tmp_path, tmp_path / "none")
    (site,) = merge_scans(tmp_path, [units[0].name])
    spots = [spot for found in site.kinds.values() for spot in found.spots]
    assert len({spot.url for spot in spots}) == len(spots) == 5
    assert site.pages == 10


@pytest.mark.parametrize("compressed", [True, False])
def test_pages_are_found_again_where_they_stand(tmp_path: Path, compressed: bool) -> None:
    path = write_warc(tmp_path / f"a.warc{'.gz' * compressed}", responses(BIG, 0, 12), compressed=compressed)
    unit = plan_units([str(path)])[0]
    scan_unit(unit, BatchOptions(), tmp_path, tmp_path / "none")
    (site,) = merge_scans(tmp_path, [unit.name])
    spots = [spot for found in site.kinds.values() for spot in found.spots]
    bodies = {f"https://{BIG}{page.path}": decode(page.html, page.content_type).text for page in DEMO[:12]}
    found = {page.url: page.body.decode() for page in read_spots(spots, BatchOptions())}
    assert found == bodies


def test_pages_are_found_again_in_a_file_that_was_packed_as_a_whole(tmp_path: Path) -> None:
    plain = write_warc(tmp_path / "a.warc", responses(BIG, 0, 12), compressed=False)
    packed = tmp_path / "b.warc.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    unit = plan_units([str(packed)])[0]
    assert scan_unit(unit, BatchOptions(), tmp_path, tmp_path / "none") == 12
    (site,) = merge_scans(tmp_path, [unit.name])
    spots = choose(site, 12)
    assert [page.url for page in read_spots(spots, BatchOptions())] == [spot.url for spot in spots]


def test_html_files_of_one_address_are_many_pages(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.html").write_text(f"<title>Page {number}</title><p>What page {number} says.")
    options = BatchOptions(address="https://one.example/")
    unit = plan_units([str(tmp_path)])[0]
    assert scan_unit(unit, options, tmp_path, tmp_path / "none") == 9
    (site,) = merge_scans(tmp_path, [unit.name])
    spots = choose(site, 20)
    assert len(read_spots(spots, options)) == 9


def test_pages_of_all_kinds_are_chosen_and_more_of_those_that_are_many() -> None:
    site = SiteSample("a.example")
    for kind, pages in (("news", 400), ("shop", 100), ("about", 1)):
        spots = [PagePlace(f"{n:04}", f"{kind}{n}", "f", n, n) for n in range(min(pages, 30))]
        site.add(kind, pages, spots)
    chosen = [spot.url.rstrip("0123456789") for spot in choose(site, 12)]
    assert chosen.count("news") > chosen.count("shop") > 1
    assert len(choose(site, 1_000)) == 24 + 24 + 1  # no more are kept of a kind


def test_a_file_that_is_gone_leaves_the_others_to_be_learned(learned: Learned, tmp_path: Path) -> None:
    gone = Unit(str(tmp_path / "gone.warc.gz"), "gone")

    def forgiving(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any, str]]:
        for item in items:
            try:
                yield item, function(item), ""
            except OSError as error:
                yield item, None, str(error)

    report = learn_profiles([*learned.units[1:], gone], tmp_path, learned.options, forgiving)
    assert report.damages == 1
    assert report.learned == (BIG,)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://Example.org/a", "example.org"),
        ("http://example.org:80?q", "example.org"),
        ("http://example.org:8080/", "example.org:8080"),
        ("https://user:word@example.org/#x", "example.org"),
        ("http://[::1]:81/", "::1:81"),
        ("http://host:99999999/", ""),
        ("ftp://example.org/", ""),
        ("file:///etc/passwd", ""),
        ("", ""),
    ],
)
def test_a_site_is_a_host_and_its_port(url: str, site: str) -> None:
    assert site_of(url) == site


def test_no_host_leads_out_of_the_folder_or_to_the_file_of_another(tmp_path: Path) -> None:
    folder = ProfileFolder(tmp_path)
    hosts = ["a", "..", ".", "../x", "a/b", "-rf", ".hidden", "x" * 300, "x" * 301, "ümlaut.example", "a%2Fb", "~"]
    paths = [folder.file_of(host) for host in hosts]
    assert len(set(paths)) == len(hosts)
    for path in paths:
        assert path.parent == tmp_path
        assert path.name[0] not in ".-~"
        assert len(path.name) < 200


def test_a_damaged_profile_is_told_and_pages_are_read_without(learned: Learned, tmp_path: Path) -> None:
    folder = ProfileFolder(tmp_path)
    whole = ProfileFolder(learned.profiles).file_of(BIG).read_bytes()
    folder.file_of(BIG).write_bytes(whole[: len(whole) // 2])
    assert folder.profile_for(f"https://{BIG}/") is None
    assert "not a profile of scythe" in folder.complaints[BIG]
    assert folder.used[BIG] == folder.digest_of(BIG) != ""


def test_only_sites_with_as_many_pages_as_asked_for_are_learned(tmp_path: Path) -> None:
    write_warc(tmp_path / "one.warc.gz", [*responses(BIG, 0, 12), *responses(SMALL, 0, 9)])
    units, profiles = plan_units([str(tmp_path / "one.warc.gz")]), tmp_path / "profiles"
    asked = BatchOptions(profiles=str(profiles), learn_from=10)
    assert learn_profiles(units, profiles, asked, one_by_one).learned == (BIG,)
    again = learn_profiles(units, profiles, replace(asked, learn_from=9), one_by_one)
    assert again.learned == (SMALL,)
    with pytest.raises(BadInput, match="3 pages or more"):
        BatchOptions(learn_from=2)


def test_a_unit_that_was_looked_through_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_warc(tmp_path / "a.warc.gz", responses(BIG, 0, 5))
    unit = plan_units([str(path)])[0]
    assert scan_unit(unit, BatchOptions(), tmp_path, tmp_path / "none") == 5
    looked: list[Unit] = []
    look = scanning._look_through
    monkeypatch.setattr(scanning, "_look_through", lambda *given: looked.append(given[0]) or look(*given))
    assert scan_unit(unit, BatchOptions(), tmp_path, tmp_path / "none") == 5
    assert looked == []
    write_warc(path, responses(BIG, 0, 7))  # another file by now
    assert scan_unit(unit, BatchOptions(), tmp_path, tmp_path / "none") == 7
    assert looked == [unit]


def test_what_is_no_page_or_too_long_is_not_learned_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raws = responses(BIG, 0, 4)
    longest = max(len(raw.body) for raw in raws)
    raws += [replace(raws[0], status=404), replace(raws[1], body=b"<p>" + b"a" * longest)]
    unit = plan_units([str(write_warc(tmp_path / "a.warc.gz", raws))])[0]
    monkeypatch.setattr(scanning, "SAMPLE_BYTES", longest)
    assert scan_unit(unit, BatchOptions(), tmp_path, tmp_path / "none") == 4


def test_of_too_many_kinds_of_pages_the_same_ones_stay_in_whatever_order_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scanning, "_KINDS", 3)
    kept = []
    for order in (range(9), reversed(range(9))):
        site = SiteSample("a.example")
        for number in order:
            site.add(f"kind{number}", 1, ())
        kept.append(set(site.kinds))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 3


def task_of(folder: Path, raws: Iterable[StoredRaw], samples: int = 8) -> LearnTask:
    """What is to be learned of a site, as a run over one file plans it."""
    unit = plan_units([str(write_warc(folder / "a.warc.gz", raws))])[0]
    scan_unit(unit, BatchOptions(), folder, folder / "none")
    (site,) = merge_scans(folder, [unit.name])
    return LearnTask(site.site, choose(site, 24), samples, BatchOptions(), str(folder / "profiles"))


def test_a_site_that_an_interrupted_run_learned_is_left_as_it_is(learned: Learned, tmp_path: Path) -> None:
    task = replace(task_of(tmp_path, responses(BIG, 0, 8)), profiles=str(learned.profiles))
    before = ProfileFolder(learned.profiles).digest_of(BIG)
    assert learn_site(task)[0] == ""
    assert ProfileFolder(learned.profiles).digest_of(BIG) == before


def test_a_site_whose_pages_are_gone_says_why_it_is_not_learned(tmp_path: Path) -> None:
    task = replace(task_of(tmp_path, responses(BIG, 0, 8)), spots=())
    assert "page" in learn_site(task)[0]
    assert not ProfileFolder(tmp_path / "profiles").has(BIG)


def test_a_site_is_learned_from_no_more_bytes_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(tmp_path, responses(BIG, 0, 8))
    sizes = [len(page.body) for page in read_spots(task.spots, task.options)]
    monkeypatch.setattr(learn_sites, "_BYTES", sum(sizes[:5]))
    taken: list[int] = []
    learn = learn_sites.Site.learn
    monkeypatch.setattr(learn_sites.Site, "learn", lambda pages: taken.append(len(pages)) or learn(pages))
    assert learn_site(task)[0] == ""
    assert taken == [5]
