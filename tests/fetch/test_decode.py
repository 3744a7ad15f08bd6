import gzip
import random
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.faults.growth import is_linear

from scythe.fetch.decode import ACCEPTED, Decoder, Inflated, zstd

PAGE = b"<p>" + bytes(range(32, 127)) * 500


def pack_brotli(body: bytes) -> bytes:
    return bytes(brotli.compress(body, quality=5))  # eleven, the default, takes seconds for a bomb


SKIPPED = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": pack_brotli, "zstd": zstd.compress}


def decode(body: bytes, coding: str, *, max_bytes: int = 10_000_000, step: int = 1000) -> Inflated:
    decoder = Decoder(coding, max_bytes=max_bytes, max_ratio=200, max_codings=2)
    for start in range(0, len(body), step):
        decoder.feed(body[start : start + step])
        if decoder.is_full:
            break
    return decoder.finish()


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize("step", [1, 7, 1000, 10**6])
@pytest.mark.parametrize(
    ("coding", "coded"),
    [
        ("", PAGE),
        ("identity", PAGE),
        ("gzip", gzip.compress(PAGE)),
        ("x-gzip", gzip.compress(PAGE)),
        (" GZIP ", gzip.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", raw_deflate(PAGE)),
        ("deflate", gzip.compress(PAGE)),
        ("gzip, gzip", gzip.compress(gzip.compress(PAGE))),
        ("deflate, gzip", gzip.compress(zlib.compress(PAGE))),
        ("gzip", gzip.compress(PAGE[:1000]) + gzip.compress(PAGE[1000:])),
        ("gzip", gzip.compress(PAGE) + b"\x00" * 50),
        ("gzip", gzip.compress(PAGE) + b"\x1fjunk"),
        ("gzip", gzip.compress(b"") + gzip.compress(PAGE)),
        ("deflate", zlib.compress(PAGE) + b"junk"),
        ("br", brotli.compress(PAGE)),
        ("BR", brotli.compress(PAGE, quality=1)),
        ("br", brotli.compress(PAGE, quality=0, lgwin=10)),
        ("zstd", zstd.compress(PAGE)),
        ("zstd", zstd.compress(PAGE[:1000]) + zstd.compress(PAGE[1000:])),
        ("zstd", SKIPPED + zstd.compress(PAGE[:1000]) + SKIPPED + zstd.compress(PAGE[1000:]) + SKIPPED),
        ("zstd", zstd.compress(PAGE) + b"\x00" * 50),
        ("zstd", zstd.compress(PAGE) + b"\x28\xb5junk"),
        ("zstd, br", brotli.compress(zstd.compress(PAGE))),
        ("br, gzip", gzip.compress(brotli.compress(PAGE))),
        ("identity, gzip, ", gzip.compress(PAGE)),
    ],
)
def test_every_accepted_coding_is_undone(coding: str, coded: bytes, step: int) -> None:
    assert decode(coded, coding, step=step) == Inflated(PAGE)


def test_all_that_is_accepted_is_tested_here() -> None:
    assert ACCEPTED.split(", ") == list(PACKERS)


@given(st.binary(max_size=3000), st.integers(1, 500), st.sampled_from(sorted(PACKERS)))
def test_chunk_size_never_matters(body: bytes, step: int, coding: str) -> None:
    assert decode(PACKERS[coding](body), coding, step=step) == Inflated(body)


@given(st.binary(max_size=3000), st.sampled_from([*PACKERS, "gzip, deflate", "br, zstd", ""]))
def test_any_bytes_decode_without_an_error(body: bytes, coding: str) -> None:
    assert len(decode(body, coding).body) <= 10_000_000


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_stops_at_the_ratio(coding: str) -> None:
    bomb = PACKERS[coding](bytes(30_000_000))
    decoded = decode(bomb, coding, max_bytes=400_000_000, step=65536)
    assert decoded.cut == "inflates more than 200 times"
    assert len(decoded.body) < 200 * len(bomb) + 1_000_000 + 2 * 65_536


@pytest.mark.parametrize("outer", PACKERS)
@pytest.mark.parametrize("inner", PACKERS)
def test_a_bomb_in_a_bomb_stops_as_well(inner: str, outer: str) -> None:
    bomb = PACKERS[outer](PACKERS[inner](bytes(30_000_000)))
    decoded = decode(bomb, f"{inner}, {outer}", max_bytes=5_000_000, step=65536)
    assert decoded.cut
    assert len(decoded.body) <= 5_000_000


def test_a_long_body_is_cut_at_the_limit_and_marked() -> None:
    decoded = decode(PAGE, "", max_bytes=100)
    assert decoded == Inflated(PAGE[:100], "longer than 100 bytes")


def test_a_body_of_exactly_the_limit_is_whole() -> None:
    assert decode(PAGE, "", max_bytes=len(PAGE)) == Inflated(PAGE)


@pytest.mark.parametrize("coding", PACKERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_body_keeps_what_came_and_is_marked(share: float, coding: str) -> None:
    body = random.Random(1).randbytes(50_000)
    coded = PACKERS[coding](body)
    decoded = decode(coded[: int(len(coded) * share)], coding)
    assert decoded.cut == "the compressed body stops before its end"
    assert body.startswith(decoded.body)
    assert len(decoded.body) > len(body) * share * 0.9 - 5_000 or coding == "zstd"  # whose blocks are long


@pytest.mark.parametrize("coding", PACKERS)
def test_a_damaged_body_keeps_what_came_and_is_marked(coding: str) -> None:
    body = random.Random(1).randbytes(200_000).hex().encode()
    coded = bytearray(PACKERS[coding](body))
    coded[len(coded) // 2] ^= 0xFF
    coded[len(coded) // 2 + 9] ^= 0xFF
    decoded = decode(bytes(coded), coding)
    assert decoded.body != body
    assert decoded.cut or coding in ("br", "zstd")  # without a checksum they may go on with other bytes
    assert decoded.body[:50_000] == body[:50_000]


@pytest.mark.parametrize("coding", PACKERS)
@pytest.mark.parametrize("step", [1, 10, 10**6])
def test_plain_markup_labelled_as_coded_is_read_as_it_is(coding: str, step: int) -> None:
    for body in (PAGE[:3_000], b"<p>short", b"\xef\xbb\xbf\n <!doctype html>" + PAGE[:500], b"<a>"):
        assert decode(body, coding, step=step) == Inflated(body)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_plain_text_labelled_as_coded_is_read_as_it_is(coding: str) -> None:
    robots = b"User-agent: *\r\nDisallow: /private\r\n"
    assert decode(robots, coding) == Inflated(robots)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_more_frames_than_any_tool_writes_end_the_reading(coding: str) -> None:
    decoded = decode(PACKERS[coding](b"") * 20_000, coding, step=65_536)
    assert decoded == Inflated(b"", "the compressed body is damaged")


@pytest.mark.parametrize("coding", PACKERS)
def test_padding_without_end_ends_the_reading(coding: str) -> None:
    decoder = Decoder(coding, max_bytes=1_000_000, max_ratio=200, max_codings=2)
    for piece in [PACKERS[coding](PAGE), *[b"\x00" * 65_536] * 1_000]:
        decoder.feed(piece)
        if decoder.is_full:
            break
    decoded = decoder.finish()
    assert decoded.cut
    assert decoded.body in (PAGE, b"")


def test_a_window_that_wants_128_megabytes_is_refused() -> None:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    assert decode(packer.compress(PAGE) + packer.flush(), "zstd").cut == "the compressed body is damaged"


@pytest.mark.parametrize("coding", PACKERS)
def test_an_empty_body_is_whole_under_any_coding(coding: str) -> None:
    assert decode(b"", coding) == Inflated(b"")


@pytest.mark.parametrize("coding", PACKERS)
def test_a_single_byte_is_not_a_whole_body(coding: str) -> None:
    assert decode(b"\x1f", coding).cut


@pytest.mark.parametrize("coding", ["compress", "gzip, dcb", "nonsense"])
def test_a_coding_we_did_not_ask_for_is_named(coding: str) -> None:
    with pytest.raises(ValueError, match="was not requested"):
        Decoder(coding, max_bytes=1, max_ratio=1, max_codings=2)


def test_a_chain_of_codings_is_refused() -> None:
    with pytest.raises(ValueError, match="3 content codings"):
        Decoder("gzip, gzip, gzip", max_bytes=1, max_ratio=1, max_codings=2)


def test_empty_members_cost_no_more_for_those_behind_them() -> None:
    def feed(members: int) -> object:
        decoder = Decoder("gzip", max_bytes=1_000_000, max_ratio=200, max_codings=1)
        decoder.feed(gzip.compress(b"") * members)
        return decoder.finish()

    assert is_linear(feed, 2_000)
    decoder = Decoder("gzip", max_bytes=1_000_000, max_ratio=200, max_codings=1)
    decoder.feed(gzip.compress(b"") * 400_000)
    assert decoder.finish().cut
