"""WARC files: what we write, two other readers read; damage is found and stays where it is."""

import gzip
import random
import warnings
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from scythe.archive.results import StoredRaw
from scythe.errors import BadInput
from scythe.output.warc import WarcFile, verify_warc
from scythe.url import Url

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it warns of itself when it is imported
    from fastwarc.warc import ArchiveIterator as FastIterator

NOON = datetime(2026, 11, 15, 12, 0, 0, 123456, tzinfo=UTC)


def raw(number: int, body: bytes | None = None, **changes: object) -> StoredRaw:
    body = f"<p>page {number} {'reaped ' * (number % 50)}</p>".encode() if body is None else body
    given: dict[str, object] = {"status": 200, "headers": (("Content-Type", "text/html"),)} | changes
    return StoredRaw(Url(f"https://example.org/{number}"), NOON, body=body, **given)  # type: ignore[arg-type]


def write(path: Path, raws: list[StoredRaw], *, compressed: bool = True) -> Path:
    with path.open("wb") as file:
        warc = WarcFile(file, made_at=NOON, name=path.name, compressed=compressed)
        for one in raws:
            warc.put(one)
        warc.close()
    return path


def read_by_warcio(path: Path) -> dict[str, bytes]:
    """Read bodies by address; a digest that does not fit raises."""
    with path.open("rb") as file:
        records = ArchiveIterator(file, check_digests="raise")
        return {
            record.rec_headers.get_header("WARC-Target-URI"): record.content_stream().read()
            for record in records
            if record.rec_type == "response"
        }


def read_by_fastwarc(path: Path) -> dict[str, bytes]:
    found = {}
    with path.open("rb") as file:
        for record in FastIterator(file, parse_http=False):
            assert record.verify_block_digest()
            if record.headers["WARC-Type"] == "response":
                record.parse_http()
                assert record.verify_payload_digest()
                found[record.headers["WARC-Target-URI"]] = record.reader.read()
    return found


@pytest.mark.parametrize("compressed", [True, False])
def test_two_other_readers_find_the_same_bodies_and_no_wrong_digest(tmp_path: Path, compressed: bool) -> None:
    dice = random.Random(1)
    raws = [raw(number, dice.randbytes(dice.randrange(5_000))) for number in range(100)]
    raws += [raw(100, b""), raw(101, b"\r\n\r\nWARC/1.1\r\n\r\n"), raw(102, b"\x1f\x8b\x08" * 100)]
    path = write(tmp_path / "out.warc.gz", raws, compressed=compressed)
    bodies = {one.url: one.body for one in raws}
    assert read_by_warcio(path) == bodies
    assert read_by_fastwarc(path) == bodies
    assert verify_warc(path).complaints == ()
    assert verify_warc(path).records == len(raws) + 2


@pytest.mark.slow
def test_ten_thousand_records_have_no_digest_difference(tmp_path: Path) -> None:
    raws = [raw(number) for number in range(10_000)]
    path = write(tmp_path / "out.warc.gz", raws)
    bodies = {one.url: one.body for one in raws}
    assert read_by_warcio(path) == read_by_fastwarc(path) == bodies
    assert verify_warc(path).complaints == ()


def test_the_head_says_what_holds_of_the_decoded_body(tmp_path: Path) -> None:
    headers = (
        ("Content-Type", "text/html"),
        ("content-encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "7"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )
    path = write(tmp_path / "out.warc.gz", [raw(1, b"<p>decoded</p>", headers=headers)])
    with path.open("rb") as file:
        (head,) = [record.http_headers for record in ArchiveIterator(file) if record.rec_type == "response"]
    assert head.headers == [
        ("Content-Type", "text/html"),
        ("X-Archive-Orig-content-encoding", "gzip"),
        ("X-Archive-Orig-Transfer-Encoding", "chunked"),
        ("X-Archive-Orig-Content-Length", "7"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Content-Length", "14"),
    ]
    assert head.statusline == "200 OK"


def test_a_header_cannot_begin_another_one(tmp_path: Path) -> None:
    headers = (("X-A", "1\r\nX-Evil: 2\r\n\r\n<p>"), ("X-B\r\nX-Evil", "3"), ("X-Name", "caf\u00e9 \udce9 \ud800"))
    path = write(tmp_path / "out.warc.gz", [raw(1, b"body", headers=headers, status=799)])
    assert read_by_warcio(path) == read_by_fastwarc(path) == {"https://example.org/1": b"body"}
    with path.open("rb") as file:
        (head,) = [record.http_headers for record in ArchiveIterator(file) if record.rec_type == "response"]
    assert head.get_header("X-Evil") is None
    assert head.get_statuscode() == "799"


def test_headers_stay_as_the_server_sent_them() -> None:
    out = BytesIO()
    WarcFile(out, made_at=NOON, compressed=False).put(raw(1, headers=(("X-Name", "caf\udce9 \u00e9"),)))
    assert b"X-Name: caf\xe9 \xc3\xa9\r\n" in out.getvalue()


def test_the_same_responses_give_the_same_file() -> None:
    first, second = BytesIO(), BytesIO()
    for out in (first, second):
        warc = WarcFile(out, made_at=NOON)
        for number in range(5):
            warc.put(raw(number))
        warc.close()
    assert first.getvalue() == second.getvalue()


def test_a_response_that_was_cut_off_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "out.warc.gz", [raw(1), raw(2, is_complete=False)])
    with path.open("rb") as file:
        cut = [record.rec_headers.get_header("WARC-Truncated") for record in ArchiveIterator(file)]
    assert cut == [None, None, "unspecified", None]


def test_every_cut_is_found_and_what_came_before_it_stays(tmp_path: Path) -> None:
    whole = write(tmp_path / "out.warc.gz", [raw(number) for number in range(40)]).read_bytes()
    dice, path = random.Random(2), tmp_path / "cut.warc.gz"
    ends = [end for end in range(1, len(whole)) if whole.startswith(b"\x1f\x8b\x08", end)]
    for end in {*(dice.randrange(1, len(whole)) for _ in range(1_000)), *ends}:
        path.write_bytes(whole[:end])
        checked = verify_warc(path)
        assert checked.complaints, end
        assert checked.records == sum(later <= end for later in ends), end


def test_every_flipped_bit_is_found_or_changes_nothing_and_costs_one_record(tmp_path: Path) -> None:
    raws = [raw(number) for number in range(40)]
    whole = bytearray(write(tmp_path / "out.warc.gz", raws).read_bytes())
    dice, path, harmless = random.Random(3), tmp_path / "flipped.warc.gz", 0
    for _ in range(1_000):
        place, bit = dice.randrange(len(whole)), 1 << dice.randrange(8)
        whole[place] ^= bit
        path.write_bytes(whole)
        whole[place] ^= bit
        checked = verify_warc(path)
        if not checked.complaints:  # time stamp and system in the head of a gzip member mean nothing
            harmless += 1
            assert read_by_warcio(path) == {one.url: one.body for one in raws}
        else:
            assert checked.records == len(raws) + 1, (place, checked)
    assert harmless < 50


def test_damage_of_a_file_without_compression_stays_local_too(tmp_path: Path) -> None:
    path = write(tmp_path / "out.warc", [raw(number) for number in range(10)], compressed=False)
    body = path.read_bytes()
    path.write_bytes(body.replace(b"page 4", b"page 5", 1).replace(b"Content-Length: ", b"Content-Length: 9", 3))
    checked = verify_warc(path)
    assert len(checked.complaints) == 4
    assert any("https://example.org/4" in complaint for complaint in checked.complaints)
    path.write_bytes(body[:-10])
    assert verify_warc(path).complaints[-1] == "the end is missing: the file was cut off"


def test_a_missing_record_is_noticed(tmp_path: Path) -> None:
    whole = write(tmp_path / "out.warc.gz", [raw(number) for number in range(5)]).read_bytes()
    starts = [end for end in range(len(whole)) if whole.startswith(b"\x1f\x8b\x08", end)]
    path = tmp_path / "less.warc.gz"
    path.write_bytes(whole[: starts[2]] + whole[starts[3] :])
    assert verify_warc(path).complaints == ("6 of 7 records are whole",)


@pytest.mark.parametrize("body", [b"", b"no WARC", b"\x1f\x8b\x08", b"WARC/1.1\r\n\r\n", b"\0" * 100])
def test_what_is_no_warc_file_is_complained_of(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(body)
    assert verify_warc(path).complaints
    assert verify_warc(path).records == 0


def test_a_file_that_cannot_be_opened_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        verify_warc(tmp_path / "none.warc.gz")


def test_files_of_other_programs_are_checked_by_what_they_state(tmp_path: Path) -> None:
    path = tmp_path / "other.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        head = StatusAndHeaders("200 OK", [("Transfer-Encoding", "chunked")], "HTTP/1.1")
        body = b"5\r\nhello\r\n0\r\n\r\n"
        record = writer.create_warc_record(
            "http://a.example/", "response", BytesIO(body), length=len(body), http_headers=head
        )
        writer.write_record(record)
        file.write(gzip.compress(b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"))
    checked = verify_warc(path)
    assert (checked.records, checked.complaints, checked.unchecked) == (2, (), 1)


def test_members_that_are_no_records_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "odd.warc.gz"
    revisit = b"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Payload-Digest: sha1:AAAA\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    wrong = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Block-Digest: sha1:AAAA\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"
    parts = [b"hello", wrong.replace(b": 2", b": 3"), wrong.replace(b": 2", b": x"), wrong, revisit]
    path.write_bytes(b"".join(gzip.compress(part) for part in parts))
    checked = verify_warc(path)
    reasons = [complaint.partition(": ")[2] for complaint in checked.complaints]
    assert reasons == [
        "not a WARC record with a length",
        "2 bytes instead of 3",
        "not a WARC record with a length",
        "the block of a record does not fit its digest",
    ]
    assert (checked.records, checked.unchecked) == (1, 1)


def test_many_complaints_are_counted_and_not_all_said(tmp_path: Path) -> None:
    path = tmp_path / "bad.warc.gz"
    path.write_bytes(gzip.compress(b"WARC/1.") * 1_005)
    complaints = verify_warc(path).complaints
    assert len(complaints) == 1_001
    assert complaints[-1] == "and 5 more"


def test_a_record_longer_than_the_limit_is_not_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.output.warc_pieces.RECORD_BYTES", 11_000)
    path = write(tmp_path / "out.warc.gz", [raw(1), raw(2, b"x" * 1_000_000), raw(3)])
    checked = verify_warc(path)
    assert checked.records == 4
    assert checked.complaints[0].endswith("longer than 11000 bytes, not checked")
