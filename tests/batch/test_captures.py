"""Captures: what servers sent comes out of WARC and HTML files, whatever is wrong with some of it."""

import errno
import gzip
import io
import mmap
import zlib
from pathlib import Path
from random import Random

import pytest
from tests.batch.warcs import DATE, http, page, record, write

import scythe.batch.captures as reading
from scythe.batch.captures import Capture, UnitContents, read_captures, undo_chunks
from scythe.batch.units import Unit, plan_units

BEFORE, AFTER, LAST = page(1), page(2), page(3)
B = record("https://mill.example/b", http(b"<p>" + b"b" * 300))
SMALL = len(http(b"<p>" + b"b" * 300))


def read(path: Path, begin: int = 0, end: int | None = None) -> tuple[list[Capture], UnitContents]:
    found = UnitContents()
    return list(read_captures(Unit(str(path), "name", begin, end), found=found)), found


def urls(captures: list[Capture]) -> list[str]:
    return [capture.url.removeprefix("https://mill.example/") for capture in captures]


def test_a_capture_says_all_that_its_record_does(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", [record("urn:x", b"made by hand", kind="warcinfo"), page(7)])
    (capture,), found = read(path)
    assert (capture.url, capture.status, capture.content_type) == (
        "https://mill.example/tales/7.html",
        200,
        "text/html",
    )
    assert (capture.date, capture.digest, capture.file) == (DATE, f"sha1:{'A' * 32}", str(path))
    assert path.read_bytes()[capture.offset :].startswith(b"\x1f\x8b")
    assert b"Tale 7" in capture.body
    assert found.others == {"warcinfo": 1}


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
@pytest.mark.parametrize(
    "bad",
    [
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), length=SMALL - 200),
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), length=SMALL + 30),
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), length=SMALL + 5_000),
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), length=10**30),
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), length=-5),
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), length="many"),
        record("https://mill.example/b", http(b"<p>" + b"b" * 300), version="WARK/1.0"),
        record("https://mill.example/b", http(b"<p>b"), kind="response\r\nX: " + "y" * 100_000),
        b"words that are no record\r\n\r\n" * 5,
    ],
    ids="short long longer endless negative word version header garbage".split(),
)
def test_a_broken_record_costs_no_other(tmp_path: Path, bad: bytes, packed: bool) -> None:
    path = write(tmp_path / ("a.warc" + ".gz" * packed), [BEFORE, bad, AFTER, LAST], packed=packed)
    captures, found = read(path)
    assert urls(captures) == ["tales/1.html", "tales/2.html", "tales/3.html"]
    assert [capture.number for capture in captures] == [0, 1, 2]
    assert found.damaged == 1


def test_a_flipped_bit_costs_one_record(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", [page(number) for number in range(40)])
    whole = path.read_bytes()
    offsets = [*(capture.offset for capture in read(path)[0]), len(whole)]
    bodies = [capture.body for capture in read(path)[0]]
    random = Random(9)
    for _ in range(60):
        at = random.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << random.randrange(8))]) + whole[at + 1 :])
        hit = next(i for i in range(40) if at < offsets[i + 1])
        captures, found = read(path)
        kept = {capture.body for capture in captures}
        assert kept >= {body for i, body in enumerate(bodies) if i != hit}
        assert len(captures) + found.damaged >= 40 or len(captures) == 40  # some bits of a head mean nothing


def test_a_file_that_was_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", [page(number) for number in range(5)])
    whole = path.read_bytes()
    ends = [*(capture.offset for capture in read(path)[0][1:]), len(whole)]
    for at in range(1, len(whole), 97):
        path.write_bytes(whole[:at])
        captures, found = read(path)
        assert len(captures) == sum(end <= at for end in ends)
        assert found.damaged == (at not in ends)


def test_empty_members_and_zeros_are_not_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join([gzip.compress(BEFORE), gzip.compress(b""), gzip.compress(AFTER), bytes(512)]))
    assert urls(read(path)[0]) == ["tales/1.html", "tales/2.html"]


def test_records_that_were_packed_together_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(BEFORE + AFTER) + gzip.compress(LAST + page(4)) + gzip.compress(page(5)))
    assert urls(read(path)[0]) == [f"tales/{number}.html" for number in range(1, 6)]
    path.write_bytes(gzip.compress(b"".join(page(number) for number in range(50))))
    assert len(read(path)[0]) == 50


def test_what_is_too_long_to_hold_is_read_as_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("scythe.batch.captures", "scythe.output.warc_pieces"):
        monkeypatch.setattr(f"{module}.RECORD_BYTES", 5_000)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(b"".join(page(number) for number in range(50))))
    assert len(read(path)[0]) == 50
    write(path, [BEFORE, record("https://mill.example/film", http(bytes(50_000), kind="video/mp4")), AFTER])
    captures, found = read(path)
    assert [capture.why for capture in captures] == ["", "not HTML: video/mp4", ""]
    assert not found.damaged


@pytest.mark.parametrize("part_bytes", [700, 1_500, 5_000])
def test_the_parts_of_a_file_hold_every_record_once(
    tmp_path: Path, part_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scythe.batch.units._LEAST_BYTES", 1)
    monkeypatch.setattr("scythe.batch.units._PARTS", 1)
    path = write(tmp_path / "a.warc.gz", [page(number) for number in range(40)])
    units = plan_units([str(path)], part_bytes)
    assert len(units) > 3
    parts = [capture.url for unit in units for capture in read_captures(unit)]
    assert parts == [capture.url for capture in read(path)[0]]


def test_what_is_no_page_says_why(tmp_path: Path) -> None:
    given = {
        "missing": http(b"<p>no", status="404 Not Found"),
        "picture": http(b"\x89PNG\r\n\x1a\n", kind="image/png"),
        "liar": http(b"%PDF-1.7 ..."),
        "odd": http(b"<p>x", kind="text/<script>"),
        "blank": http(b""),
        "unsaid": http(b"<p>a page without a type", kind=""),
        "noise": b"no response at all",
    }
    path = write(tmp_path / "a.warc.gz", [record(f"https://mill.example/{name}", each) for name, each in given.items()])
    found = {capture.url.rpartition("/")[2]: capture for capture in read(path)[0]}
    assert {name: capture.why for name, capture in found.items()} == {
        "missing": "status 404",
        "picture": "not HTML: image/png",
        "liar": "not HTML: PDF",
        "odd": "not HTML: another type",
        "blank": "empty",
        "unsaid": "",
        "noise": "no HTTP response",
    }
    assert [name for name, capture in found.items() if capture.is_bad] == ["noise"]


def test_bodies_are_unpacked_as_browsers_do(tmp_path: Path) -> None:
    body = b"<html><p>" + b"word " * 2_000
    chunks = b"%x;x=y\r\n%s\r\n%x\n%s\r\n0\r\n\r\n" % (100, body[:100], len(body) - 100, body[100:])
    packed = zlib.compress(body)
    given = {
        "chunks": http(chunks, more={"Transfer-Encoding": "chunked"}),
        "gzip": http(gzip.compress(body), more={"Content-Encoding": "gzip"}),
        "both": http(
            b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed),
            more={"Transfer-Encoding": "chunked", "Content-Encoding": "deflate"},
        ),
        "undone": http(body, more={"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}),
        "nonsense": http(body, more={"Content-Encoding": "utf-8"}),
    }
    path = write(tmp_path / "a.warc.gz", [record(f"https://mill.example/{name}", each) for name, each in given.items()])
    assert {capture.url.rpartition("/")[2]: capture.body == body for capture in read(path)[0]} == dict.fromkeys(
        given, True
    )


def test_a_body_that_stops_in_its_packing_is_kept_and_said_to(tmp_path: Path) -> None:
    body = b"<html><p>" + b"".join(b"word %d " % number for number in range(5_000))
    given = [http(gzip.compress(body)[:9_000], more={"Content-Encoding": "gzip"})]
    given += [http(b"%x\r\n%s" % (len(body), body[:9_000]), more={"Transfer-Encoding": "chunked"})]
    path = write(tmp_path / "a.warc.gz", [record("https://mill.example/x", each) for each in given])
    captures, _ = read(path)
    assert all(body.startswith(capture.body) and len(capture.body) > 5_000 for capture in captures)
    assert [bool(capture.truncated) for capture in captures] == [True, True]


def test_a_bomb_is_cut_at_the_limit(tmp_path: Path) -> None:
    bomb = http(gzip.compress(b"<p>" + b"a" * 30_000_000), more={"Content-Encoding": "gzip"})
    path = write(tmp_path / "a.warc.gz", [record("https://mill.example/x", bomb), AFTER])
    captures = list(read_captures(Unit(str(path), "name"), page_bytes=2_000_000))
    assert len(captures[0].body) <= 2_000_000
    assert captures[0].truncated
    assert urls(captures[1:]) == ["tales/2.html"]


def test_a_page_beyond_the_limit_is_told_and_not_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", [record("https://mill.example/x", http(b"<p>" + b"a" * 5_000)), AFTER])
    first, second = read_captures(Unit(str(path), "name"), page_bytes=4_000)
    assert (first.why, first.is_bad, first.body) == ("longer than 4000 bytes", True, b"")
    assert second.body


def test_a_resource_is_a_page_where_its_record_says_so(tmp_path: Path) -> None:
    page_of = record("https://mill.example/a", b"<p>kept by hand", kind="resource")
    given = [page_of.replace(b"application/http", kind) for kind in (b"text/html; charset=utf-8", b"image/png")]
    captures, found = read(write(tmp_path / "a.warc.gz", given))
    assert [(capture.why, capture.body) for capture in captures] == [
        ("", b"<p>kept by hand"),
        ("not HTML: image/png", b""),
    ]
    assert (captures[0].status, captures[0].content_type) == (200, "text/html; charset=utf-8")
    assert not found.others


def test_an_empty_file_has_no_captures(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"")
    captures, found = read(path)
    assert captures == []
    assert found.damaged == 0


def test_damages_beyond_the_first_are_only_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FAILURES", 2)
    torn = gzip.compress(B)[:-40]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(gzip.compress(page(number)) + torn for number in range(5)))
    captures, found = read(path)
    assert len(captures) == 5
    assert (found.damaged, len(found.damages)) == (5, 2)


@pytest.fixture
def short_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a record of 5 kB be too long to be held."""
    for module in ("scythe.batch.captures", "scythe.output.warc_pieces"):
        monkeypatch.setattr(f"{module}.RECORD_BYTES", 5_000)


@pytest.mark.usefixtures("short_records")
@pytest.mark.parametrize("torn", [True, False])
def test_a_long_record_among_packed_ones_costs_no_other(tmp_path: Path, torn: bool) -> None:
    noise = Random(3).randbytes(50_000)
    film = bytearray(gzip.compress(record("https://mill.example/film", http(noise, kind="video/mp4"))))
    film[30_000] ^= 255 * torn
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(BEFORE + AFTER) + bytes(film) + gzip.compress(LAST))
    captures, found = read(path)
    assert urls(captures) == ["tales/1.html", "tales/2.html", *["film"] * (not torn), "tales/3.html"]
    assert found.damaged == torn


def test_a_part_of_a_file_packed_in_groups_ends_where_the_next_begins(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    groups = [gzip.compress(page(2 * number) + page(2 * number + 1)) for number in range(6)]
    path.write_bytes(b"".join(groups))
    middle = len(groups[0]) + len(groups[1])
    first, second = read(path, 0, middle)[0], read(path, middle)[0]
    assert urls(first) == [f"tales/{number}.html" for number in range(4)]
    assert urls(second) == [f"tales/{number}.html" for number in range(4, 12)]


class Failing(io.FileIO):
    """A file on a disk that fails."""

    def read(self, size: int | None = -1) -> bytes:
        raise OSError(errno.EIO, "Input/output error")


@pytest.mark.usefixtures("short_records")
@pytest.mark.parametrize(
    "members", [[BEFORE, AFTER], [BEFORE + AFTER, page(4) * 9]], ids=["one by one", "packed together"]
)
def test_a_failing_disk_is_not_taken_for_a_damaged_record(tmp_path: Path, members: list[bytes]) -> None:
    path, found = write(tmp_path / "a.warc.gz", members), UnitContents()
    with Failing(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        reader = reading._WarcReader(Unit(str(path), "name"), file, content, 10**6, found)
        with pytest.raises(OSError, match="Input/output"):
            list(reader.read())
    assert found.damaged == 0


def test_a_record_of_an_unknown_version_among_packed_ones_is_told(tmp_path: Path) -> None:
    odd = record("https://mill.example/b", http(b"<p>b"), version="WARC/1.7")
    captures, found = read(write(tmp_path / "a.warc.gz", [BEFORE + odd + AFTER, LAST]))
    assert urls(captures) == ["tales/1.html", "tales/2.html", "tales/3.html"]
    assert [damage.why for damage in found.damages] == ["Invalid WARC header"]


def test_chunks_without_a_size_are_the_body_itself() -> None:
    assert undo_chunks(b"<html>") == (b"<html>", "")
    assert undo_chunks(b"") == (b"", "")
    assert undo_chunks(b"ffffffffff\r\nabc") == (b"ffffffffff\r\nabc", "")


def test_html_files_say_where_they_come_from(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b'<link rel="canonical" href="https://mill.example/a"><p>text')
    (tmp_path / "b.html").write_bytes(b"<p>text")
    (tmp_path / "c.html").symlink_to(tmp_path / "none.html")
    unit = Unit(str(tmp_path), "name", files=tuple(str(tmp_path / name) for name in ("a.html", "b.html", "c.html")))
    captures = list(read_captures(unit, address="https://other.example/"))
    assert [capture.url for capture in captures] == ["https://mill.example/a", "https://other.example/", ""]
    assert captures[2].is_bad


def test_an_html_file_beyond_the_limit_is_told(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("long.html", "short.html")]
    for name, size in zip(names, (4_001, 4_000), strict=True):
        Path(name).write_bytes(b"a" * size)
    long, short = read_captures(Unit(str(tmp_path), "name", files=tuple(names)), page_bytes=4_000)
    assert (long.why, long.is_bad, long.body) == ("longer than 4000 bytes", True, b"")
    assert len(short.body) == 4_000


def test_without_fastwarc_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fastwarc.warc", None)
    with pytest.raises(reading.MissingExtra, match=r"webscythe\[batch\]"):
        reading.require_warc()
