"""The neural network that scores text blocks, in numpy and, where built, in C.

Each block starts from its own numbers and from learned vectors for its words and the names of its elements. Four rounds
then let it see its neighbours, the boxes around it, blocks of the same style and the whole page. Half-way the kind of
page is told, which the last rounds know. The Python code is the reference for the C code.
"""

from __future__ import annotations

import itertools
import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.extension import native
from scythe.package_files import packaged_text
from scythe.page.blocks import Blocks
from scythe.reading.text.block_features import (
    COMMENT_NAMES,
    PAGE_TAGS,
    Bags,
    Features,
    Floats,
    HeadSummary,
    Ints,
    Vocabulary,
    characters,
    describe,
)

if TYPE_CHECKING:
    from scythe._native import Scorer

FORMAT = "scythe-text-network"
VERSION = 2


@dataclass(frozen=True, slots=True)
class Round:
    """Weights of one look around, by where each block looks."""

    reach: int  # how many blocks away the neighbours are
    own: Floats  # itself, the block before, the block after, the heading above: side by side
    boxes: Floats  # the means of three boxes around, one below the other
    style: Floats  # the mean of all blocks of the same style
    page: Floats  # mean and maximum of the page, one below the other
    bias: Floats


@dataclass(frozen=True, slots=True)
class KindHead:
    """Weights by which the kind of page is told, and by which it tells in what follows."""

    names: tuple[str, ...]
    round: int  # the first that knows the kind
    weights: Floats  # of the mean and the maximum of the page, one below the other
    bias: Floats
    rounds: tuple[Floats, ...]  # one row per kind, for each round from that one on
    last: Floats


@dataclass(frozen=True, slots=True)
class Network:
    """Weights of one trained network."""

    vocabulary: Vocabulary
    names: Floats  # one vector per known element name, row 0 is the unknown name: zeros
    words: Floats
    page: Floats
    mean: Floats
    scale: Floats
    first_weights: Floats
    first_bias: Floats
    rounds: tuple[Round, ...]
    kind: KindHead
    last_weights: Floats
    last_bias: float


def _sum_bags(table: Floats, bags: Bags) -> Floats:
    """Add up the rows of each bag; an empty bag gives zeros."""
    rows = np.zeros((len(bags.ids) + 1, table.shape[1]), dtype=np.float32)  # one spare row: a bag may start at the end
    rows[:-1] = table[np.array(bags.ids, dtype=np.intp)]
    bounds = np.array(bags.offsets, dtype=np.intp)
    sums: Floats = np.add.reduceat(rows, bounds[:-1], axis=0)
    sums[bounds[1:] == bounds[:-1]] = 0.0
    return sums


def _sum_paths(own: Floats, parent: Ints, depth: Ints) -> Floats:
    """Add the vectors of all boxes above to each box, one level of depth at a time."""
    order = np.argsort(depth, kind="stable")
    edges = np.searchsorted(depth[order], np.arange(1, int(depth.max()) + 2))
    sums = own.copy()
    for start, end in itertools.pairwise(edges):
        level = order[start:end]
        sums[level] += sums[parent[level]]
    return sums


def _times(values: Floats, weights: Floats) -> Floats:
    """Multiply matrices in slices so small that the linear algebra library does each one on this thread.

    Its worker threads would spin while they wait: on a busy machine that made a page 20 times as expensive.
    """
    rows = max(_ONE_THREAD // weights.size, 1)
    count = len(values)
    if count <= rows:
        return values @ weights
    padded = np.zeros((-(-count // rows) * rows, values.shape[1]), dtype=np.float32)
    padded[:count] = values
    product: Floats = (padded.reshape(-1, rows, values.shape[1]) @ weights).reshape(-1, weights.shape[1])
    return product[:count]


_ONE_THREAD = 65536 * 4  # multiplications: OpenBLAS starts threads above this


def score(network: Network, features: Features) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probability of each block to be main text, and that of each kind of page."""
    hidden = _first_layer(network, features)
    near = features.box_parent[features.box]
    far = features.box_parent[near]
    farther = features.box_parent[features.box_parent[far]]
    pools = [_range_of(features, at) for at in (near, far, farther)]
    order = np.argsort(features.cluster, kind="stable")
    styles = np.searchsorted(features.cluster[order], np.arange(int(features.cluster.max()) + 1))
    sizes = np.diff(np.append(styles, len(order))).astype(np.float32)[:, None]
    count, width = hidden.shape
    head = network.kind
    kinds: NDArray[np.float64] = np.zeros(len(head.names))
    for number, layer in enumerate(network.rounds):
        running = np.zeros((count + 1, width), dtype=np.float64)
        np.cumsum(hidden, axis=0, out=running[1:])
        own = _times(hidden, layer.own)
        seen = own[:, :width]
        reach = layer.reach
        seen[reach:] += own[:-reach, width : 2 * width]
        seen[:-reach] += own[reach:, 2 * width : 3 * width]
        seen += own[features.heading, 3 * width :]
        boxes = np.concatenate([(running[end] - running[start]) / size for start, end, size in pools], axis=1)
        seen += _times(boxes.astype(np.float32), layer.boxes)
        means: Floats = (np.add.reduceat(hidden[order], styles, axis=0) / sizes).astype(np.float32)
        seen += _times(means, layer.style)[features.cluster]
        page = np.concatenate([(running[-1] / count).astype(np.float32), hidden.max(axis=0)])
        seen += page @ layer.page + layer.bias
        if number == head.round:
            odds = (page @ head.weights + head.bias).astype(np.float64)
            odds = np.exp(odds - odds.max())
            kinds = odds / odds.sum()
        if number >= head.round:
            seen += kinds.astype(np.float32) @ head.rounds[number - head.round]
        hidden = hidden + np.maximum(seen, 0.0)
    bias = network.last_bias + float(kinds @ head.last)
    logits = (hidden @ network.last_weights + bias).astype(np.float64)
    result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    return result, kinds


def _first_layer(network: Network, features: Features) -> Floats:
    """Join numbers and vectors of each block."""
    box, parent = features.box, features.box_parent
    near = parent[box]
    own = _sum_bags(network.names, features.names)
    paths = _sum_paths(own, parent, features.box_depth)
    lead = _sum_bags(network.names, features.leads)
    words = _sum_bags(network.words, features.openings)
    vectors = np.tanh(np.concatenate([lead, own[box], own[near] + own[parent[near]], paths[box], words], axis=1))
    page = np.tanh(network.page[np.array(features.page_ids, dtype=np.intp)].sum(axis=0))
    numbers = np.clip((features.numbers - network.mean) * network.scale, -5.0, 5.0)
    inputs = np.concatenate([numbers, vectors], axis=1)
    weights = network.first_weights
    always = page @ weights[inputs.shape[1] :] + network.first_bias
    hidden: Floats = np.maximum(_times(inputs, weights[: inputs.shape[1]]) + always, 0.0)
    return hidden


def _range_of(features: Features, boxes: Ints) -> tuple[Ints, Ints, Floats]:
    start, end = features.box_start[boxes], features.box_end[boxes]
    return start, end, np.maximum(end - start, 1).astype(np.float32)[:, None]


_PACKED = {"int8": "<i1", "float16": "<f2"}


def pack(values: NDArray[Any], kind: str) -> dict[str, Any]:
    """Return an array as JSON values: its shape, and its numbers in base 64. A tenth of the time of a list to load."""
    return {"shape": list(values.shape), kind: b64encode(values.astype(_PACKED[kind]).tobytes()).decode()}


def _floats(values: Any) -> Floats:
    """Read an array, packed or as a list."""
    if not isinstance(values, dict):
        return np.array(values, dtype=np.float32)
    (kind,) = _PACKED.keys() & values.keys()
    numbers: NDArray[Any] = np.frombuffer(b64decode(values[kind], validate=True), dtype=_PACKED[kind])
    return numbers.reshape(values["shape"]).astype(np.float32)


def _table(packed: dict[str, Any]) -> Floats:
    """Unpack vectors stored as whole numbers with one scale; row 0 is added for what is unknown."""
    rows: Floats = _floats(packed["rows"]) * np.float32(packed["scale"])
    return np.concatenate([np.zeros((1, rows.shape[1]), dtype=np.float32), rows], dtype=np.float32)


def _round(saved: dict[str, Any]) -> Round:
    weights, bias = _floats(saved["weights"]), _floats(saved["bias"])
    width = len(bias)
    part = weights.reshape(-1, width, width)
    own = np.concatenate([part[0], part[1], part[2], part[9]], axis=1)
    boxes, page = weights[3 * width : 6 * width], weights[7 * width : 9 * width]
    return Round(int(saved["reach"]), own, boxes, part[6], page, bias)


def _kind(saved: dict[str, Any]) -> KindHead:
    return KindHead(
        names=tuple(map(str, saved["names"])),
        round=int(saved["round"]),
        weights=_floats(saved["weights"]),
        bias=_floats(saved["bias"]),
        rounds=tuple(map(_floats, saved["rounds"])),
        last=_floats(saved["last"]),
    )


def from_json(text: str) -> Network:
    """Build a network from its saved form. Raises BadInput when the text is not one of this version."""
    try:
        saved = json.loads(text)
        if saved["format"] != FORMAT or saved["version"] != VERSION:
            raise BadInput(f"expected {FORMAT} version {VERSION}, got {saved['format']} version {saved['version']}")
        return Network(
            vocabulary=Vocabulary(*(saved[kind]["vocabulary"] for kind in ("names", "words", "page"))),
            names=_table(saved["names"]),
            words=_table(saved["words"]),
            page=_table(saved["page"]),
            mean=_floats(saved["mean"]),
            scale=_floats(saved["scale"]),
            first_weights=_floats(saved["first"]["weights"]),
            first_bias=_floats(saved["first"]["bias"]),
            rounds=tuple(map(_round, saved["rounds"])),
            kind=_kind(saved["kind"]),
            last_weights=_floats(saved["last"]["weights"]),
            last_bias=float(saved["last"]["bias"]),
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadInput(f"not a saved text network: {error!r}") from error


@lru_cache(maxsize=1)
def load() -> Network:
    """Return the network that ships with the package."""
    return from_json(packaged_text("scythe.reading.text", "auto.json"))


class BlockFacts(NamedTuple):
    """What is known of each block of a page."""

    probabilities: NDArray[np.float64]
    words: NDArray[np.float64]
    comment: NDArray[np.bool_]
    hidden: NDArray[np.bool_]
    kinds: NDArray[np.float64]  # of the page: the probability of each kind the network knows


_module = native
COMPILED = _module is not None
_REMEMBERED = 8  # networks: the shipped one, and those of a cross-validation, which take turns
_last: list[tuple[Network, Scorer | None]] = []  # the networks built last; building takes as long as 20 pages


def score_compiled(blocks: Blocks, head: HeadSummary, network: Network, *, plain: bool = False) -> BlockFacts | None:
    """Return what is known of each block, or None where only the arrays can tell.

    `plain` does without instructions that only some processors have.
    """
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
    numbers, flags = scorer.score(columns, head.title, head.description, page_rows, plain)
    n = len(blocks)
    both, flag = np.frombuffer(numbers), np.frombuffer(flags, dtype=np.bool_)
    return BlockFacts(both[:n], both[n : 2 * n], flag[:n], flag[n:], both[2 * n :])


def prepare(network: Network) -> None:
    """Build now what the first page scored by a network would otherwise pay for."""
    if COMPILED:
        _scorer_of(network)


def score_arrays(blocks: Blocks, head: HeadSummary, network: Network) -> BlockFacts:
    """Return the same, worked out with numpy."""
    features = describe(blocks, head, network.vocabulary)
    hidden = np.array(blocks.box_hidden, dtype=np.bool_)[features.box]
    probabilities, kinds = score(network, features)
    return BlockFacts(probabilities, features.words, features.comment, hidden, kinds)


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
        chars=characters(),
        tables=(_rows(network.names), _rows(network.words), _rows(network.page)),
        numbers=(_rows(network.mean), _rows(network.scale)),
        first=(_rows(network.first_weights), _rows(network.first_bias)),
        rounds=tuple(
            (one.reach, *map(_rows, (*_mix(one.own), one.boxes, one.style, one.page, one.bias)))
            for one in network.rounds
        ),
        kind=(
            network.kind.round,
            *map(
                _rows, (network.kind.weights, network.kind.bias, np.concatenate(network.kind.rounds), network.kind.last)
            ),
        ),
        last=(_rows(network.last_weights), network.last_bias),
    )
    return scorer


# of the blocks before, at and after: four blocks share six products, as `look_along` in score_kernel.h does
_FILTER = np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24


def _mix(own: Floats) -> tuple[Floats, Floats]:
    """Return the weights for a block and its neighbours, mixed for their products, and those for the heading."""
    itself, before, after, heading = np.hsplit(own.astype(np.float64), 4)
    mixed = np.tensordot(_FILTER, np.stack([before, itself, after]), 1)
    return mixed.reshape(-1, own.shape[0]).astype(np.float32), heading.astype(np.float32)


def _rows(array: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(array, dtype=np.float32)
