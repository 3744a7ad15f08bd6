"""Score blocks in compiled code where it is built: blocks, head and network come in, scores per block go out.

The compiled module repeats `features` and `network` in C; those two stay the reference, and the way without a compiler.
`SCYTHE_PURE=1` in the environment turns the compiled module off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scythe.compiled import load_compiled
from scythe.page.blocks import Blocks
from scythe.read.text.features import WORD, HeadSummary, describe
from scythe.read.text.letters import kinds
from scythe.read.text.names import COMMENT_NAMES, PAGE_TAGS
from scythe.read.text.network import Network, score

if TYPE_CHECKING:
    from scythe.read.text._speed import Scorer

VERSION = 1  # of the scoring; a module compiled for another one is left alone
_WORD_CODES = 0x10000  # the basic plane; the few characters above are asked one by one

Scores = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]


_module = load_compiled("scythe.read.text._speed")
COMPILED = _module is not None and _module.VERSION == VERSION
_REMEMBERED = 8  # networks: the shipped one, and those of a cross-validation, which take turns
_last: list[tuple[Network, Scorer | None]] = []  # the networks built last; building takes as long as 20 pages


def score_compiled(blocks: Blocks, head: HeadSummary, network: Network) -> Scores | None:
    """Return probability, words and comment flag of each block, or None where only the arrays can tell."""
    scorer = _scorer_of(network) if COMPILED else None
    if scorer is None:
        return None
    columns = (
        blocks.box_parent, blocks.box_tag, blocks.box_names, blocks.box_hidden, blocks.box_start, blocks.box_end,
        blocks.text, blocks.box, blocks.link_chars, blocks.links, blocks.bold_chars, blocks.breaks,
        blocks.lead_names, blocks.lead_tag, blocks.image_block,
    )  # fmt: skip
    known = network.vocabulary.page
    page_rows = [known[token] for token in head.tokens if token in known]
    probabilities, words, comment = scorer.score(columns, head.title, head.description, page_rows)
    return np.frombuffer(probabilities), np.frombuffer(words), np.frombuffer(comment, dtype=np.bool_)


def prepare(network: Network) -> None:
    """Build now what the first page scored by a network would otherwise pay for."""
    if COMPILED:
        _scorer_of(network)


def score_arrays(blocks: Blocks, head: HeadSummary, network: Network) -> Scores:
    """Return the same, worked out with numpy."""
    features = describe(blocks, head, network.vocabulary)
    return score(network, features), features.words, features.comment


def _scorer_of(network: Network) -> Scorer | None:
    for known, scorer in _last:
        if known is network:
            return scorer
    try:
        built = _build(network)
    except ValueError:  # a network of another shape than the compiled code knows
        built = None
    _last[:] = [(network, built), *_last][:_REMEMBERED]
    return built


def _build(network: Network) -> Scorer:
    assert _module is not None
    scorer: Scorer = _module.Scorer(
        vocabulary=(network.vocabulary.names, network.vocabulary.words),
        comments=dict.fromkeys(COMMENT_NAMES, 1),
        page_tags=PAGE_TAGS,
        kinds=kinds(),
        word_chars=_word_chars(),
        tables=(_rows(network.names), _rows(network.words), _rows(network.page)),
        numbers=(_rows(network.mean), _rows(network.scale)),
        first=(_rows(network.first_weights), _rows(network.first_bias)),
        rounds=tuple(
            (round.reach, *map(_rows, (round.own, round.boxes, round.style, round.page, round.bias)))
            for round in network.rounds
        ),
        last=(_rows(network.last_weights), network.last_bias),
    )
    return scorer


def _rows(array: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(array, dtype=np.float32)


def _word_chars() -> bytes:
    r"""Return one byte per code point: 1 where it is a \w."""
    table = np.zeros(_WORD_CODES, dtype=np.uint8)
    every = np.arange(_WORD_CODES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for found in WORD.finditer(every):
        table[found.start() : found.end()] = 1
    return table.tobytes()
