"""The compiled scorer: the same scores as the arrays give, on any page, and no trust in its caller."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.characters import table

from scythe.demo import site
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.reading.text import choose_text
from scythe.reading.text import network as fast
from scythe.reading.text.block_features import Vocabulary, characters
from scythe.reading.text.choose_text import head_of
from scythe.reading.text.network import load

compiled = pytest.mark.skipif(
    not fast.COMPILED, reason="scythe was built without its compiled module (no compiler, or SCYTHE_NO_EXTENSION)"
)

LONG = "They cut the barley low, bound it, and set it up to dry. " * 20
PAGES = {
    "one block": "<p>x</p>",
    "no title": "<body>text alone",
    "title and description": "<title>A late Harvest</title><meta name=description content='The river, low &amp; late'>"
    "<h1>A late harvest</h1><h2>Harvest late, a</h2><p>the RIVER was low</p><p>river river late low</p>" * 2,
    "two likely titles": "<title>a b</title><h1>a</h1><h2>a b c</h2><h3>a b</h3><p>a b</p><p>b a</p>",
    "long and short": f"<p>{LONG}</p><p>{LONG[:600]}</p><p>{LONG[:601]}</p><p>{LONG[:599]}</p>",
    "ten words and eleven": "<p>a b c d e f g h i j<p>a b c d e f g h i j k<p>a b c d e f g h i<p>...",
    "Chinese": "<title>收割者</title>" + "<p>收割者在黎明前走过田野。他们割下大麦！“好”</p>" * 3,
    "Turkish capitals": "<title>İSTANBUL ışık</title><p>İstanbul IŞIK İİİ</p><p>" + "İ" * 600 + "</p>",
    "Greek sigma": "<title>ΟΔΟΣ</title><p>ΟΔΟΣ ΟΔΟΣ. ΣΑΣ</p>",
    "astral": "<p>😀😀 text 𝒳𝒴 \U0001f600word 𐐀𐐁 \U000e0041 \U0010fffd end.</p><p>𠀀𠀁。😀</p>",
    "half characters": "<p>one \ud800 two.\udfff three</p>",
    "marks": "<p>¿Qué? «No.» (a) [b] {c} | • – © $5 … e.g. 3,4;5</p><p>_under_ a_b ½ ² Ⅷ ا ١٢ ก</p>",
    "names": '<div class="postBody entry-content HTMLPage aB ABc X 12"><p id="" class="">x</p><p class=" ">y</p></div>',
    "many names": '<div class="'
    + " ".join(f"n{chr(97 + i % 26)}{chr(97 + i // 26)}x" for i in range(90))
    + '">z</div>',
    "odd names": '<div class="ééComment İcomment comment\u0130">a</div><x-y class="é">b</x-y><é class=a>c</é>',
    "long tag": f"<{'t' * 500}>a</{'t' * 500}><div><{'q' * 62}>b</{'q' * 62}></div>",
    "comments": "<main class=comments><p>a b. c.</p></main><div id=comments><p>d. e.</p><article>f</article></div>",
    "articles": "<article><p>a</p><article>b</article></article>" + "<article><p>c. d.</p></article>" * 7,
    "hidden, bold, links": "<p hidden>a</p><p><b>bo</b>ld</p><p><a href=/>li</a>nk</p><br><br><p>a<br>b<br><br>c</p>",
    "images": "<img src=a><p>one<img src=b></p><img src=c><img src=d><p>two</p><img src=e>",
    "leads": "<p><span class='date author'>May</span> x</p><p><a href=/>y</a></p><p><i></i>z</p>",
    "deep": "<div>" * 3000 + "deep" + "</div><p>up</p>" * 3000,
    "empty boxes": "<div></div>" * 500 + "<p>text</p>" + "<div></div>" * 500,
    "5 000 blocks": "".join(f"<div class=c{i % 7}><p>Block {i}, of many. Word{i}</p></div>" for i in range(5000)),
}


def agree(page: Page) -> bool:
    """Assert, value by value, that both ways score a page alike; say whether they choose the same blocks."""
    head, network = head_of(page), load()
    found = fast.score_compiled(page.blocks, head, network)
    assert found is not None
    expected = fast.score_arrays(page.blocks, head, network)
    np.testing.assert_allclose(found.probabilities, expected.probabilities, rtol=0, atol=2e-5)
    np.testing.assert_allclose(found.kinds, expected.kinds, rtol=0, atol=2e-5)
    for ours, theirs in zip(found[1:4], expected[1:4], strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    return choose_text.choose(*found[:2]) == choose_text.choose(*expected[:2])


@compiled
@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_odd_pages_are_scored_as_the_arrays_do(html: str) -> None:
    assert agree(Page.from_text(html, url="https://example.org/forum/thread-1"))


@compiled
@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_every_processor_gives_the_same_scores(html: str) -> None:
    page = Page.from_text(html, url="https://example.org/forum/thread-1")
    found, plain = (fast.score_compiled(page.blocks, head_of(page), load(), plain=plain) for plain in (False, True))
    assert found is not None
    assert plain is not None
    np.testing.assert_allclose(found.probabilities, plain.probabilities, rtol=0, atol=2e-5)


@compiled
def test_demo_pages_are_scored_as_the_arrays_do() -> None:
    for page in site():
        assert agree(Page.from_bytes(page.html, url=page.url))


TEXT = st.text(min_size=1, max_size=80).map(lambda text: text.replace("<", " "))
NAMES = st.text(alphabet="abcABC-_ 1éİ", max_size=40)


@compiled
@settings(max_examples=60, deadline=None)
@given(
    title=TEXT, parts=st.lists(st.tuples(st.sampled_from(("p", "div", "h2", "li", "b", "x")), NAMES, TEXT), max_size=12)
)
def test_any_page_is_scored_as_the_arrays_do(title: str, parts: list[tuple[str, str, str]]) -> None:
    body = "".join(f'<{tag} class="{names}">{text}' + f"</{tag}>" * (len(text) % 2) for tag, names, text in parts)
    page = Page.from_text(f"<title>{title}</title>{body}<p>{title}")
    assert not len(page.blocks) or agree(page)


@compiled
def test_scores_stay_the_same_when_other_pages_come_between() -> None:
    first = Page.from_text(PAGES["comments"])
    head, network = head_of(first), load()
    before = fast.score_compiled(first.blocks, head, network)
    for number in range(60):
        other = Page.from_text(
            "".join(f"<p class='{'x' * i} n{chr(97 + number % 26)}'>t {i}</p>" for i in range(number + 1))
        )
        fast.score_compiled(other.blocks, head, network)
    after = fast.score_compiled(first.blocks, head, network)
    assert before is not None
    assert after is not None
    assert before[0].tolist() == after[0].tolist()


@compiled
def test_more_elements_than_it_remembers_are_no_trouble() -> None:
    blocks, head, network = small(), head_of(Page.from_text("<title>t</title>")), load()
    for part in range(6):
        names = [f"x{part * 10_000 + number}" for number in range(10_000)]
        more = replace(
            blocks,
            box_parent=[-1] + [0] * 9_999,
            box_tag=["p"] * 10_000,
            box_names=names,
            box_hidden=[False] * 10_000,
            box_start=[0] * 10_000,
            box_end=[2] * 10_000,
        )
        assert fast.score_compiled(more, head, network) is not None
    assert agree(Page.from_text(PAGES["names"]))


def small() -> Blocks:
    return Page.from_text("<title>t</title><div><p>one two</p><p>three <a href=/>four</a><img src=a></p></div>").blocks


BROKEN = {
    "no blocks": {"text": []},
    "an empty text": {"text": ["", "x"]},
    "a text that is none": {"text": ["x", 5]},
    "text columns of different length": {"lead_tag": ["a"]},
    "number columns of different length": {"links": [0]},
    "a box that does not exist": {"box": [0, 99]},
    "a box before the first": {"box": [0, -1]},
    "a number that is none": {"links": [0, "x"]},
    "a number too large": {"links": [0, 2**70]},
    "a number too small": {"link_chars": [0, -1]},
    "an image before the first block": {"image_block": [-1]},
    "an image that is none": {"image_block": [None]},
    "a parent too large": {"box_parent": [2**70, 0, 1, 2, 2]},
    "a parent after its child": {"box_parent": [-1, 2, 1, 2, 2]},
    "a box that is its own parent": {"box_parent": [-1, 1, 1, 2, 2]},
    "a box that ends too late": {"box_end": [9, 9, 9, 9, 9]},
    "a box that ends before it starts": {"box_start": [2, 2, 2, 2, 2], "box_end": [0, 0, 0, 0, 0]},
    "a tuple for a list": {"text": ("x", "y")},
}


@compiled
@pytest.mark.parametrize("changes", BROKEN.values(), ids=BROKEN)
def test_columns_that_do_not_fit_together_are_refused(changes: dict[str, object]) -> None:
    head, network = head_of(Page.from_text("<title>t</title>")), load()
    blocks = small()
    assert len(blocks.box_tag) == 5, "html, body, div, p, p"
    with pytest.raises(ValueError):
        fast.score_compiled(replace(blocks, **changes), head, network)
    assert fast.score_compiled(blocks, head, network) is not None, "and the next page is scored"


@compiled
def test_a_network_of_another_shape_is_left_to_the_arrays() -> None:
    network, page = load(), Page.from_text(PAGES["one block"])
    head = head_of(page)
    wrong = [
        replace(network, mean=network.mean[:-1]),
        replace(network, first_weights=network.first_weights[:-1]),
        replace(network, names=network.names[:5]),
        replace(network, words=network.words[:5]),
        replace(network, last_weights=network.last_weights[:-1]),
        replace(network, rounds=(replace(network.rounds[0], reach=0),)),
        replace(network, rounds=(replace(network.rounds[0], boxes=network.rounds[0].boxes[:-1]),)),
        replace(network, vocabulary=Vocabulary([""], [""], [""])),
        replace(network, kind=replace(network.kind, round=4)),
        replace(network, kind=replace(network.kind, bias=network.kind.bias[:-1])),
    ]
    for one in wrong:
        assert fast.score_compiled(page.blocks, head, one) is None
    fewer = replace(network, rounds=network.rounds[:3], kind=replace(network.kind, rounds=network.kind.rounds[:1]))
    found = fast.score_compiled(page.blocks, head, fewer)
    assert found is not None
    assert abs(found[0] - fast.score_arrays(page.blocks, head, fewer)[0]).max() < 1e-5


@pytest.mark.parametrize(("value", "expected"), [("1", "False"), ("", str(fast.COMPILED)), ("0", str(fast.COMPILED))])
def test_the_environment_turns_the_compiled_module_off(value: str, expected: str) -> None:
    code = (
        "from scythe.reading.text import network; import scythe\n"
        "print(network.COMPILED, scythe.read('<p>x. y. z.').how)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"SCYTHE_NO_EXTENSION": value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(expected)


def test_the_module_is_compiled_only_when_wanted(root: Path, tmp_path: Path) -> None:
    code = f"import hatch_build, pathlib; print(hatch_build.compile_extension(pathlib.Path({str(tmp_path)!r}, 'x.so')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=os.environ | {"SCYTHE_NO_EXTENSION": "1"}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert "SCYTHE_NO_EXTENSION" in done.stdout
    assert not list(tmp_path.iterdir())


def test_the_table_of_characters_says_what_python_says_of_them() -> None:
    """But for the few characters that came with another version of Unicode than it was written by."""
    lower, kinds = table()
    written = characters()
    assert (written != (kinds | lower.astype(np.uint32) << np.uint32(16))).sum() < 500


@compiled
@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 300), st.booleans(), st.booleans()), min_size=1, max_size=40),
    st.booleans(),
    st.booleans(),
)
def test_the_compiled_choice_is_that_of_the_arrays(
    blocks: list[tuple[Any, ...]], in_thread: bool, tabbed: bool
) -> None:
    probabilities, words, comment, hidden = (np.array(column) for column in zip(*blocks, strict=True))
    seen = fast.BlockFacts(probabilities, words.astype(np.float64), comment, hidden, np.ones(1))
    limits = (choose_text.DOUBTFUL, choose_text.LONE_WORDS, math.inf if tabbed else choose_text.SHOWN_SHARE)
    kept, scores = fast.native.choose_blocks(*seen[:4], in_thread, limits)
    settled = choose_text.settle(seen, is_thread=in_thread, is_tabbed=tabbed)
    with np.errstate(invalid="ignore"):
        assert kept == choose_text.choose(settled, seen.words)
    assert scores == tuple(np.round(settled, 3).tolist())


@compiled
def test_columns_of_blocks_that_differ_in_length_are_refused() -> None:
    short, flags = np.zeros(2), np.zeros(3, dtype=np.bool_)
    with pytest.raises(ValueError, match="differ in length"):
        fast.native.choose_blocks(short, short, flags, flags, False, (0.2, 12.0, 0.35))
