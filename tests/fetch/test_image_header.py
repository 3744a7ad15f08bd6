"""Sizes are read from the first bytes of images, and any bytes are survived."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.limits import LIMITS
from scythe.page.image_size import ImageSize, probe_size

from .image_files import WRITERS, avif, bmp, box, ico, jpeg, png, svg, tiff


def sides(prefix: bytes, *, upright: bool = True) -> tuple[int, int] | None:
    size = probe_size(prefix, upright=upright)
    return (size.width, size.height) if size else None


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_every_format_tells_its_size(write):
    assert sides(write(640, 427)) == (640, 427)


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_a_prefix_tells_the_same_size_or_none(write):
    whole = write(640, 427)
    assert {sides(whole[:end]) for end in range(len(whole))} <= {None, (640, 427)}


def test_the_name_of_the_format_comes_with_the_size():
    assert probe_size(png(3, 4)) == ImageSize(3, 4, "png")


@pytest.mark.parametrize("frame", [0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA])
def test_progressive_and_other_frames_of_jpeg_are_read(frame):
    assert sides(jpeg(800, 600, frame=frame)) == (800, 600)


def test_fill_bytes_and_restarts_before_a_jpeg_segment_are_passed_over():
    assert sides(jpeg(8, 6, before=b"\xff\xff\xff\x01\xff\xd0\xff")) == (8, 6)


@pytest.mark.parametrize("prefix", [jpeg(30, 20, orientation=6), tiff(30, 20, 6), avif(30, 20, turned=True)])
def test_images_are_turned_as_they_are_shown(prefix):
    assert (sides(prefix), sides(prefix, upright=False)) == ((20, 30), (30, 20))


def test_a_jpeg_that_is_upside_down_is_as_wide_as_it_was():
    assert sides(jpeg(30, 20, orientation=3)) == (30, 20)


def test_heic_is_read_like_avif():
    assert probe_size(avif(30, 20, brand=b"heic")) == ImageSize(30, 20, "heif")


def test_the_largest_icon_counts_and_zero_means_256():
    assert (sides(ico((16, 16), (48, 48), (32, 32))), sides(ico((16, 16), (256, 256)))) == ((48, 48), (256, 256))


def test_a_bitmap_with_rows_from_the_top_has_a_positive_height():
    assert sides(bmp(30, -20)) == (30, 20)


def test_the_oldest_bitmaps_have_short_sides():
    assert sides(b"BM" + bytes(12) + b"\x0c\0\0\0\x1e\0\x14\0") == (30, 20)


def test_boxes_may_have_long_lengths():
    whole = avif(30, 20)
    at = whole.index(b"meta") - 4
    size = (len(whole) - at + 8).to_bytes(8, "big")
    assert sides(whole[:at] + b"\0\0\0\1meta" + size + whole[at + 8 :]) == (30, 20)


def test_a_box_without_sizes_has_none():
    assert sides(box(b"ftyp", b"avif") + box(b"meta", bytes(4))) is None


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('width="120" height="80px"', (120, 80)),
        ("width='1in' height='2.5cm'", (96, 94)),
        ('viewBox="0 0 24 48"', (24, 48)),
        ('width="100%" height="100%" viewBox="0,0,300.4,150"', (300, 150)),
        ('width="48" viewBox="0 0 24 12"', (48, 24)),
        ('height="10" viewBox="0 0 24 12"', (20, 10)),
        ('width="1e9" height="-5"', None),
        ("", None),
    ],
)
def test_svg_sizes_come_from_lengths_or_the_view_box(attributes, expected):
    assert sides(svg(attributes)) == expected


def test_declarations_and_comments_before_an_svg_are_passed_over():
    before = '<?xml version="1.0"?><!-- <svg width="1" height="1"> --><!DOCTYPE svg [<!ENTITY a "b">]>\n'
    assert sides(svg('width="7" height="8"', before)) == (7, 8)


def test_an_svg_in_utf_16_is_read():
    assert sides(svg('width="7" height="8"').decode().encode("utf-16")) == (7, 8)


@pytest.mark.parametrize(
    "prefix",
    [
        b"",
        b"<!doctype html><html><body><svg width=3 height=4>",
        b"<svgfoo width=3 height=4>",
        b"BMW builds cars, and this is a text about them",
        b"\xff\xd8\xff\xda\0\x02" + bytes(20),
        jpeg(0, 40),
        png(0, 0),
        b"RIFF\0\0\0\0WAVEfmt " + bytes(30),
        b"%PDF-1.7",
    ],
)
def test_what_is_no_image_has_no_size(prefix):
    assert probe_size(prefix) is None


def test_a_file_that_is_two_things_is_what_it_begins_with():
    assert probe_size(png(3, 4) + svg('width="70" height="80"')) == ImageSize(3, 4, "png")


def test_sizes_beyond_belief_are_clamped():
    assert sides(png(50_000, 50_000)) == (50_000, 50_000)
    assert sides(png(2**32 - 1, 7)) == (LIMITS.image_pixels, 7)


@given(st.binary(max_size=400))
def test_any_bytes_have_a_size_or_none(prefix):
    assert isinstance(probe_size(prefix), ImageSize | None)


@settings(max_examples=300)
@given(st.sampled_from([write(300, 200) for write in WRITERS] + [ico((9, 9)), svg('width="3"')]), st.data())
def test_damaged_headers_have_a_size_or_none(whole, data):
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.sampled_from([b"\xff" * 4, bytes(4), b"\0\0\0\1", b"\x7f\xff\xff\xff", b"\xff", b"\0"]))
    size = probe_size(whole[:at] + damage + whole[at + len(damage) :])
    assert size is None or (1 <= size.width <= LIMITS.image_pixels and 1 <= size.height <= LIMITS.image_pixels)
