"""Opening tags of images: splitting survives what pages put between tags and into values."""

from __future__ import annotations

from scythe.page.image_context import TAG_CHARS, VALUE_CHARS, write_tag
from scythe.page.tag_attributes import read_attributes


def test_what_is_written_is_read_back():
    attributes = {"src": "/a?b&c", "alt": 'say "no" > yes', "class": "", "data-json": '{"a":1}'}
    assert read_attributes(write_tag("img", attributes)) == attributes


def test_long_values_and_many_attributes_are_cut():
    tag = write_tag("img", {"src": "x" * 10_000_000, **{f"data-{i}": None for i in range(10_000)}})
    assert len(tag) < VALUE_CHARS + 2_000
    assert read_attributes(tag)["src"] == "x" * VALUE_CHARS
    assert len(write_tag("x" * 9_000, {f"{i}" * 9_000: '"' * 9_000 for i in range(64)})) == TAG_CHARS + 1


def test_a_tag_is_one_line_and_tells_little_of_data_addresses():
    tag = write_tag("img", {"src": "data:image/png;base64," + "A" * 1_000, "alt": "a\n\tb", "hidden": None})
    assert tag == f'<img src="data:image/png;base64,{"A" * 38}" alt="a  b" hidden="">'
