"""The default text method: score every block with the network and keep the set with the highest expected F1.

Blocks are taken in order of probability while the expected harmonic mean of precision and recall, weighted by words,
rises. Comments are dropped, except on pages made of them (forums, questions and answers). The title line is not
repeated if structured data has the headline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from math import inf
from typing import TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from scythe.extension import native
from scythe.model import PageKind, Reading, TextOptions
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.page.title import title_variants
from scythe.reading.text.block_features import HeadSummary
from scythe.reading.text.network import BlockFacts, Network, load, score_arrays, score_compiled
from scythe.url import host

_TYPE = re.compile(r'"@type"\s{0,8}:\s{0,8}"([A-Za-z]{1,40})"')
_URL_WORD = re.compile(r"[a-z]{3,30}")
# one or two words that are a whole part of the address, such as /message-board/showthread.php: not words of a headline
_SEGMENT = re.compile(r"(?<![^/?&])([a-z]{2,30})(?:-([a-z]{2,30}))?(?=[/.?=]|-\d|$)")
_LD_CHARS = 200_000  # types stand near the top; the rest of a huge block says nothing new
_SEEN_METAS = 200


def _path(url: str) -> str:
    """Return what stands behind the host of an address, without the first slash."""
    return url.partition("://")[2].partition("/")[2]


def head_of(page: Page) -> HeadSummary:
    """Return the title, the description and the tokens that tell what kind of page this is."""
    head = page.head
    title, description = head.title, ""
    tokens: dict[str, None] = {}
    for key, content in head.properties[:_SEEN_METAS]:
        value = content.strip()
        if not value:
            continue
        if key in ("description", "og:description"):
            description = description or value[:1000]
        elif key == "og:title":
            title = value[:500]
        elif key == "og:type":
            tokens[f"og:{value[:40].lower()}"] = None
        elif key == "generator":
            tokens[f"gen:{value[:40].lower().split()[0]}"] = None
    for text in head.json_ld[:20]:
        for kind in _TYPE.findall(text[:_LD_CHARS])[:100]:
            tokens[f"ld:{kind.lower()}"] = None
    for kind in head.types:
        tokens[f"md:{kind[:40]}"] = None
    for label in host(page.url or "").split(".")[:5]:
        tokens[f"host:{label}"] = None
    path = _path(page.url or "")[:300].lower()
    for word in _URL_WORD.findall(path)[:30]:
        tokens[f"url:{word}"] = None
    for words in _SEGMENT.findall(path)[:20]:
        tokens |= {f"path:{word}": None for word in words if word}
    return HeadSummary(" ".join(title[:500].split()), " ".join(description.split()), tuple(tokens)[:100])


WINDOW = 8_000  # blocks scored at once: bounds memory; the longest page of the training sets has 6 571
DOUBTFUL = 0.2  # no block above this: the page has no main text
LITTLE_WORDS, LITTLE_BLOCKS = 60.0, 12  # a page with no more than this is kept whole when every block is doubtful
LIKELY = 0.5  # the probability of a kind of page from which on its own rules apply
TABBED = ("product", "collection", "service")
FRONT = "front page"
_ROOTS = frozenset(("", "index.html", "index.htm", "index.php"))
TITLE_WITHIN = 4  # kept blocks: kicker, date and the like may stand before the title
SHOWN_SHARE = 0.35  # of the expected words; with less, scripts will show the hidden rest
FOOTER_CHARS = 200  # of one of its lines
REPEAT_CHARS = 60  # shorter blocks may well stand twice, such as the labels of a table
LONE_WORDS = 12.0  # expected words outside comments; with fewer, the comments are what the page is about

THREADS = frozenset(
    "ld:discussionforumposting ld:qapage ld:question md:discussionforumposting md:qapage md:question md:answer "
    "path:forum path:forums path:thread path:threads path:viewtopic path:viewthread path:showthread path:topic "
    "path:topics path:question path:questions path:discussion path:discussions path:bbs path:board path:tid "
    "path:comments gen:vbulletin gen:discourse gen:phpbb gen:mybb gen:xenforo gen:flarum gen:nodebb gen:smf "
    "host:forum host:forums host:bbs host:board host:boards host:community host:discuss host:answers "
    "host:stackexchange host:stackoverflow".split()
)


def read(page: Page, options: TextOptions, network: Network | None = None) -> Reading:
    """Keep the blocks that the network takes for main text; `network` replaces the shipped one."""
    if not len(page.blocks):
        return Reading("auto", why="no text")
    head = head_of(page)
    network = network or load()
    seen = see(page, network, head)
    kind = tell_kind(network.kind.names, seen, page.url)
    in_thread = is_named_thread(head) or kind.probabilities["thread"] > LIKELY
    asked, tabbed = options.comments is True or in_thread, is_tabbed(kind)
    if native is not None:
        limits = (DOUBTFUL, LONE_WORDS, inf if tabbed else SHOWN_SHARE)
        kept, scores = native.choose_blocks(*seen[:4], asked, limits)
    else:
        probabilities = settle(seen, is_thread=asked, is_tabbed=tabbed)
        kept, scores = choose(probabilities, seen.words), tuple(np.round(probabilities, 3).tolist())
    kept = kept or all_there_is(page.blocks, seen)
    if kind.probabilities["documentation"] <= LIKELY:
        kept = without_repeats(page.blocks, kept)
    if options.title_line is None and has_headline(head) and not in_thread:
        kept = without_title(page, kept)
    kept = without_footer(page.blocks, kept)
    if not kept:
        why = "only links" if is_menu(page.blocks) else "no block looks like main text"
        return Reading("auto", why=why, scores=scores, kind=kind)
    return Reading("auto", kept=kept, scores=scores, kind=kind)


def tell_kind(names: tuple[str, ...], seen: BlockFacts, url: str | None) -> PageKind:
    """Return the kind of a page; what would be a listing elsewhere is the front page at the address of a whole host."""
    told = {name: round(odds, 3) for name, odds in zip(names, seen.kinds.tolist(), strict=True)}
    told[FRONT] = told["listing"] if url is not None and _path(url) in _ROOTS else 0.0
    told["listing"] -= told[FRONT]
    best = max(told, key=told.__getitem__)
    return PageKind(best, told[best], told)


_Value = TypeVar("_Value")


_REMEMBERED = 8  # pages: as many as a site is learned from at a time, mostly
_last: list[tuple[ref[Page], Network, BlockFacts]] = []


def see(page: Page, network: Network | None = None, head: HeadSummary | None = None) -> BlockFacts:
    """Score every block of a page; who asks again for a page read just now, as records do, gets the same answer."""
    network = network or load()
    for known, by, seen in _last:
        if known() is page and by is network:
            return seen
    seen = score_blocks(page.blocks, head or head_of(page), network)
    _last[:] = [(ref(page), network, seen), *(one for one in _last if one[0]() is not None)][:_REMEMBERED]
    return seen


def score_blocks(blocks: Blocks, head: HeadSummary, network: Network) -> BlockFacts:
    """Score every block; a very long page is scored in windows."""
    parts: list[BlockFacts] = []
    for start in range(0, len(blocks), WINDOW):
        part = blocks if len(blocks) <= WINDOW else window(blocks, start, min(start + WINDOW, len(blocks)))
        parts.append(score_compiled(part, head, network) or score_arrays(part, head, network))
    if len(parts) == 1:
        return parts[0]
    joined = BlockFacts(*map(np.concatenate, zip(*parts, strict=True)))
    return joined._replace(kinds=parts[0].kinds)


def is_named_thread(head: HeadSummary) -> bool:
    """Say whether the page calls itself a forum thread, a discussion or a question with answers."""
    return not THREADS.isdisjoint(head.tokens)


def is_tabbed(kind: PageKind) -> bool:
    """Say whether a page is of the kinds that hide parts of their text behind tabs: there the network decides on it."""
    return sum(kind.probabilities[name] for name in TABBED) > LIKELY


def settle(seen: BlockFacts, *, is_thread: bool, is_tabbed: bool) -> NDArray[np.float64]:
    """Return the probabilities after the rules for what the network is not asked: comments and hidden blocks."""
    if not is_thread:
        seen = seen._replace(probabilities=without_comments(seen))
    return seen.probabilities if is_tabbed else without_hidden(seen)


def without_comments(seen: BlockFacts) -> NDArray[np.float64]:
    """Return the probabilities with those of comments at zero, unless hardly anything else would be left."""
    if not seen.comment.any():
        return seen.probabilities
    rest = np.where(seen.comment, 0.0, seen.probabilities)
    return rest if float((rest * seen.words).sum()) >= LONE_WORDS else seen.probabilities


def without_hidden(seen: BlockFacts) -> NDArray[np.float64]:
    """Return the probabilities with those of hidden blocks at zero, unless the page hides most of its text at first."""
    if not seen.hidden.any():
        return seen.probabilities
    rest = np.where(seen.hidden, 0.0, seen.probabilities)
    shown, total = float((rest * seen.words).sum()), float((seen.probabilities * seen.words).sum())
    return rest if shown >= SHOWN_SHARE * total else seen.probabilities


def choose(probabilities: NDArray[np.float64], words: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the blocks with the highest expected F1, in page order; none when every block is doubtful."""
    if float(probabilities.max()) < DOUBTFUL:
        return ()
    order = (-probabilities).argsort(kind="stable")
    size = words[order]
    expected = (probabilities[order] * size).cumsum()
    gains = expected / (size.cumsum() + expected[-1])
    return tuple(sorted(order[: gains.argmax() + 1].tolist()))


def is_menu(blocks: Blocks) -> bool:
    """Say whether a page is nothing but links."""
    return sum(blocks.link_chars) >= 0.9 * sum(map(len, blocks.text))


def without_repeats(blocks: Blocks, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the blocks without those that say again, word by word, what a chosen block before them said.

    Pages print a part twice for narrow screens and for tabs. References to code repeat themselves in earnest.
    """
    first: dict[str, int] = {}
    texts = blocks.text
    return tuple(i for i in kept if len(texts[i]) < REPEAT_CHARS or first.setdefault(texts[i], i) == i)


def without_footer(blocks: Blocks, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the blocks without a few words at the end that the page itself calls its footer."""
    end = len(kept)
    while end > 1 and len(blocks.text[kept[end - 1]]) <= FOOTER_CHARS and _is_in_footer(blocks, kept[end - 1]):
        end -= 1
    return kept[:end]


def _is_in_footer(blocks: Blocks, number: int) -> bool:
    boxes = (blocks.box[number], *islice(blocks.boxes_above(number), 2))
    return any(blocks.box_tag[box] == "footer" or "footer" in blocks.box_names[box].lower().split() for box in boxes)


def all_there_is(blocks: Blocks, seen: BlockFacts) -> tuple[int, ...]:
    """Return the plain blocks of a page with very little text: whatever it says, nothing else could be meant."""
    linked = np.array(blocks.link_chars) * 2 > np.array([len(text) for text in blocks.text])
    plain = ~(linked | seen.hidden)
    if float(seen.words[plain].sum()) > LITTLE_WORDS or len(blocks) > LITTLE_BLOCKS:
        return ()
    return tuple(np.flatnonzero(plain).tolist())


def has_headline(head: HeadSummary) -> bool:
    """Say whether structured data gives the headline: the text need not repeat it, unless it opens a thread."""
    return any(token.startswith("ld:") for token in head.tokens) and not is_named_thread(head)


def without_title(page: Page, kept: tuple[int, ...]) -> tuple[int, ...]:
    """Return the blocks without the title line among the first of them."""
    blocks = page.blocks
    wanted = title_variants(page.declared_title)
    first = kept[:TITLE_WITHIN]
    longest = max(map(len, wanted), default=0)
    same = [number for number in first if _opening(blocks.text[number], longest + 1) in wanted]
    if not same:
        heads = [number for number in first if blocks.box_tag[blocks.box[number]] == "h1"]
        same = heads if len(heads) == 1 and blocks.directly_in("h1") == heads else []
    return tuple(number for number in kept if number not in same) or kept


def _opening(text: str, length: int) -> str:
    """Return so many characters of what is comparable of a text."""
    return "".join(islice(filter(str.isalnum, text.casefold()), length))


def window(blocks: Blocks, start: int, end: int) -> Blocks:
    """Return blocks start:end with only the boxes around them, renumbered."""
    first, last = blocks.box[start], max(blocks.box[start:end])
    above = blocks.boxes_above(start)[::-1]
    inner = slice(first + 1, last + 1)
    span = end - start

    def around(column: Sequence[_Value]) -> list[_Value]:
        return [*(column[box] for box in above), *column[inner]]

    def renumbered(boxes: Sequence[int]) -> list[int]:
        old, known = np.array(boxes, dtype=np.int64), np.array(above, dtype=np.int64)
        places = np.minimum(np.searchsorted(known, old), len(known) - 1)
        outside = np.where(known[places] == old, places, 0)
        numbers: list[int] = np.where(old > first, old - first - 1 + len(above), outside).tolist()
        return numbers

    def clipped(column: Sequence[int]) -> list[int]:
        numbers: list[int] = np.clip(np.array(around(column), dtype=np.int64) - start, 0, span).tolist()
        return numbers

    return Blocks(
        box_parent=[-1, *renumbered(around(blocks.box_parent)[1:])],
        box_tag=around(blocks.box_tag),
        box_names=around(blocks.box_names),
        box_hidden=around(blocks.box_hidden),
        box_start=clipped(blocks.box_start),
        box_end=clipped(blocks.box_end),
        text=blocks.text[start:end],
        box=renumbered(blocks.box[start:end]),
        link_chars=blocks.link_chars[start:end],
        links=blocks.links[start:end],
        bold_chars=blocks.bold_chars[start:end],
        breaks=blocks.breaks[start:end],
        lead_names=blocks.lead_names[start:end],
        lead_tag=blocks.lead_tag[start:end],
        image_block=[row - start for row in blocks.image_block if start <= row < end],
    )
