from __future__ import annotations

import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.fetch.decode import Decoded, Decoder

PAGE = b"<p>" + bytes(range(32, 127)) * 500


def decode(body: bytes, coding: str, *, max_bytes: int = 10_000_000, step: int = 1000) -> Decoded:
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
        ("gzip, gzip", gzip.compress(gzip.compress(PAGE))),
        ("deflate, gzip", gzip.compress(zlib.compress(PAGE))),
        ("gzip", gzip.compress(PAGE[:1000]) + gzip.compress(PAGE[1000:])),
        ("gzip", gzip.compress(PAGE) + b"\x00" * 50),
    ],
)
def test_every_accepted_coding_is_undone(coding: str, coded: bytes, step: int) -> None:
    assert decode(coded, coding, step=step) == Decoded(PAGE)


@given(st.binary(max_size=3000), st.integers(1, 500))
def test_chunk_size_never_matters(body: bytes, step: int) -> None:
    assert decode(gzip.compress(body), "gzip", step=step) == Decoded(body)


@given(st.binary(max_size=3000), st.sampled_from(["gzip", "deflate", "gzip, deflate", ""]))
def test_any_bytes_decode_without_an_error(body: bytes, coding: str) -> None:
    assert len(decode(body, coding).body) <= 10_000_000


def test_a_bomb_stops_at_the_ratio() -> None:
    bomb = gzip.compress(bytes(60_000_000), 9)
    decoded = decode(bomb, "gzip", max_bytes=400_000_000, step=65536)
    assert decoded.cut == "inflates more than 200 times"
    assert len(decoded.body) < 200 * len(bomb) + 1_000_000 + 65_536


def test_a_bomb_in_a_bomb_stops_as_well() -> None:
    bomb = gzip.compress(gzip.compress(bytes(60_000_000), 9), 9)
    decoded = decode(bomb, "gzip, gzip", max_bytes=5_000_000, step=65536)
    assert decoded.cut
    assert len(decoded.body) <= 5_000_000


def test_a_long_body_is_cut_at_the_limit_and_marked() -> None:
    decoded = decode(PAGE, "", max_bytes=100)
    assert decoded == Decoded(PAGE[:100], "longer than 100 bytes")


def test_a_body_of_exactly_the_limit_is_whole() -> None:
    assert decode(PAGE, "", max_bytes=len(PAGE)) == Decoded(PAGE)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_body_keeps_what_came_and_is_marked(share: float) -> None:
    body = random.Random(1).randbytes(50_000)
    coded = gzip.compress(body)
    decoded = decode(coded[: int(len(coded) * share)], "gzip")
    assert decoded.cut == "the compressed body stops before its end"
    assert body.startswith(decoded.body)
    assert len(decoded.body) > len(body) * share * 0.9 - 5_000


def test_a_damaged_body_keeps_what_came_and_is_marked() -> None:
    coded = bytearray(gzip.compress(PAGE))
    coded[len(coded) // 2] ^= 0xFF
    assert decode(bytes(coded), "gzip").cut


def test_plain_markup_labelled_gzip_is_read_as_it_is() -> None:
    assert decode(PAGE, "gzip") == Decoded(PAGE)


def test_an_empty_body_is_whole_under_any_coding() -> None:
    assert decode(b"", "gzip") == Decoded(b"")


def test_a_single_byte_is_not_a_whole_gzip_body() -> None:
    assert decode(b"\x1f", "gzip").cut


@pytest.mark.parametrize("coding", ["compress", "gzip, dcb", "nonsense"])
def test_a_coding_we_did_not_ask_for_is_named(coding: str) -> None:
    with pytest.raises(ValueError, match="was not asked for"):
        Decoder(coding, max_bytes=1, max_ratio=1, max_codings=2)


def test_a_chain_of_codings_is_refused() -> None:
    with pytest.raises(ValueError, match="3 content codings"):
        Decoder("gzip, gzip, gzip", max_bytes=1, max_ratio=1, max_codings=2)
