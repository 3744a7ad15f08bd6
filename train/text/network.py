"""The network of `scythe.reading.text.network` in torch, for training; `export` writes the saved form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from dataset import Sample
from torch import Tensor, nn
from torch.nn import functional

from scythe.reading.text.block_features import Vocabulary
from scythe.reading.text.network import FORMAT, VERSION, pack

REACHES = (1, 2, 4, 1)
STREAMS = 10  # self, before, after, three boxes around, style, page mean, page maximum, heading


@dataclass(frozen=True)
class Drop:
    """How much is hidden while training, so that no single clue is relied upon."""

    numbers: float = 0.05
    names: float = 0.3
    words: float = 0.4
    page: float = 0.5
    hidden: float = 0.2
    kind: float = 0.15  # all names, or all words, of a page


@dataclass
class Batch:
    """Several pages laid end to end."""

    numbers: Tensor
    box: Tensor
    parent: Tensor
    levels: list[Tensor]
    start: Tensor
    end: Tensor
    cluster: Tensor
    heading: Tensor
    page: Tensor  # per block
    box_page: Tensor
    bags: dict[str, tuple[Tensor, Tensor]]  # rows and owners
    pages: int


def lay_out(samples: list[Sample]) -> Batch:
    """Join the features of several pages."""
    columns: dict[str, list[np.ndarray]] = {}
    bags: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {
        k: ([], []) for k in ("names", "leads", "openings", "page")
    }
    blocks = boxes = clusters = 0
    for number, sample in enumerate(samples):
        f = sample.features
        n, m = len(f.numbers), len(f.box_parent)
        for key, value in (
            ("box", f.box + boxes), ("parent", f.box_parent + boxes), ("start", f.box_start + blocks),
            ("end", f.box_end + blocks), ("cluster", f.cluster + clusters), ("heading", f.heading + blocks),
            ("page", np.full(n, number)), ("box_page", np.full(m, number)), ("depth", f.box_depth),
        ):  # fmt: skip
            columns.setdefault(key, []).append(value)
        for key, bag, base in (("names", f.names, boxes), ("leads", f.leads, blocks), ("openings", f.openings, blocks)):
            bags[key][0].append(np.array(bag.ids, dtype=np.int64))
            bags[key][1].append(np.repeat(np.arange(len(bag.offsets) - 1), np.diff(bag.offsets)) + base)
        bags["page"][0].append(np.array(f.page_ids, dtype=np.int64))
        bags["page"][1].append(np.full(len(f.page_ids), number))
        blocks, boxes, clusters = blocks + n, boxes + m, clusters + int(f.cluster.max()) + 1
    joined = {key: torch.from_numpy(np.concatenate(value).astype(np.int64)) for key, value in columns.items()}
    depth = joined.pop("depth")
    return Batch(
        numbers=torch.from_numpy(np.concatenate([s.features.numbers for s in samples])),
        levels=[torch.nonzero(depth == level).flatten() for level in range(1, int(depth.max()) + 1)],
        bags={k: tuple(torch.from_numpy(np.concatenate(part).astype(np.int64)) for part in v) for k, v in bags.items()},
        pages=len(samples),
        **joined,
    )


class TextNetwork(nn.Module):
    """Blocks in, one logit per block out."""

    def __init__(
        self, vocabulary: Vocabulary, mean: np.ndarray, deviation: np.ndarray, *, hidden: int = 48, vector: int = 12
    ):
        super().__init__()
        self.names = nn.Embedding(len(vocabulary.names) + 1, vector)
        self.words = nn.Embedding(len(vocabulary.words) + 1, vector)
        self.page = nn.Embedding(len(vocabulary.page) + 1, 8)
        for table in (self.names, self.words, self.page):
            nn.init.normal_(table.weight, 0, 0.05)
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32))
        self.register_buffer("scale", 1 / torch.tensor(deviation, dtype=torch.float32))
        self.first = nn.Linear(len(mean) + 5 * vector + 8, hidden)
        self.rounds = nn.ModuleList([nn.Linear(STREAMS * hidden, hidden) for _ in REACHES])
        self.last = nn.Linear(hidden, 1)
        self.drop = Drop()

    def _bag(self, table: nn.Embedding, rows_owners: tuple[Tensor, Tensor], count: int, drop: float) -> Tensor:
        rows, owners = rows_owners
        vectors = table(rows) * (rows > 0).unsqueeze(1)
        if self.training and drop:
            vectors = vectors * (torch.rand(len(rows), 1) > drop)
        return torch.zeros(count, vectors.shape[1]).index_add_(0, owners, vectors)

    def forward(self, b: Batch) -> Tensor:
        drop, count = self.drop, len(b.numbers)
        numbers = ((b.numbers - self.mean) * self.scale).clamp(-5, 5)
        own = self._bag(self.names, b.bags["names"], len(b.parent), drop.names)
        lead = self._bag(self.names, b.bags["leads"], count, drop.names)
        words = self._bag(self.words, b.bags["openings"], count, drop.words)
        page = self._bag(self.page, b.bags["page"], b.pages, drop.page)[b.page]
        if self.training:
            numbers = numbers * (torch.rand_like(numbers) > drop.numbers)
            shown = (torch.rand(b.pages, 2) > drop.kind).float()
            own, lead, words = own * shown[b.box_page, :1], lead * shown[b.page, :1], words * shown[b.page, 1:]
        paths = own
        for level in b.levels:
            paths = paths.index_copy(0, level, paths[b.parent[level]] + own[level])
        near = b.parent[b.box]
        far = b.parent[near]
        vectors = torch.cat([lead, own[b.box], own[near] + own[far], paths[b.box], words, page], 1)
        h = torch.relu(self.first(torch.cat([numbers, torch.tanh(vectors)], 1)))
        h = functional.dropout(h, drop.hidden, self.training)
        for linear, reach in zip(self.rounds, REACHES, strict=True):
            seen = self._look_around(linear, h, b, reach, (near, far, b.parent[b.parent[far]]))
            h = h + functional.dropout(torch.relu(seen), drop.hidden, self.training)
        return self.last(h).squeeze(1)

    def _look_around(self, linear: nn.Linear, h: Tensor, b: Batch, reach: int, boxes: tuple[Tensor, ...]) -> Tensor:
        """Return what a layer makes of all streams side by side: multiplied first, where many blocks share a stream."""
        width = h.shape[1]
        part = linear.weight.view(width, STREAMS, width).unbind(1)
        own, before, after, heading = (h @ torch.cat([part[0], part[1], part[2], part[9]]).T).split(width, 1)
        seen = own + heading.index_select(0, b.heading)
        same = (b.page[reach:] == b.page[:-reach]).unsqueeze(1)
        seen[reach:] += before[:-reach] * same
        seen[:-reach] += after[reach:] * same
        running = torch.cat([h.new_zeros(1, width), torch.cumsum(h, 0)])
        pools = []
        for box in boxes:
            start, end = b.start[box], b.end[box]
            total = running.index_select(0, end) - running.index_select(0, start)
            pools.append(total / (end - start).clamp(min=1).unsqueeze(1))
        seen = seen + torch.cat(pools, 1) @ torch.cat(part[3:6], 1).T
        style = self._mean(h, b.cluster, int(b.cluster.max()) + 1) @ part[6].T
        mean = self._mean(h, b.page, b.pages)
        top = torch.zeros(b.pages, width).scatter_reduce(0, b.page.unsqueeze(1).expand(-1, width), h, "amax")
        page = mean @ part[7].T + top @ part[8].T + linear.bias
        return seen + style.index_select(0, b.cluster) + page.index_select(0, b.page)

    @staticmethod
    def _mean(h: Tensor, group: Tensor, groups: int) -> Tensor:
        sums = torch.zeros(groups, h.shape[1]).index_add_(0, group, h)
        return sums / torch.bincount(group, minlength=groups).clamp(min=1).unsqueeze(1)


def export(net: TextNetwork, vocabulary: Vocabulary) -> dict[str, object]:
    """Return the saved form: vectors as bytes with one scale, matrices in half precision."""

    def table(weights: Tensor, words: dict[str, int]) -> dict[str, object]:
        rows = weights.detach()[1:]
        scale = float(rows.abs().max()) / 127
        return {"vocabulary": list(words), "scale": scale, "rows": pack(torch.round(rows / scale).numpy(), "int8")}

    def matrix(values: Tensor) -> dict[str, object]:
        return pack(values.detach().numpy(), "float16")

    def plain(values: Tensor) -> list[float]:
        return [float(f"{value:.6g}") for value in values.tolist()]

    return {
        "format": FORMAT,
        "version": VERSION,
        "names": table(net.names.weight, vocabulary.names),
        "words": table(net.words.weight, vocabulary.words),
        "page": table(net.page.weight, vocabulary.page),
        "mean": plain(net.mean),
        "scale": plain(net.scale),
        "first": {"weights": matrix(net.first.weight.T), "bias": matrix(net.first.bias)},
        "rounds": [
            {"reach": reach, "weights": matrix(linear.weight.T), "bias": matrix(linear.bias)}
            for reach, linear in zip(REACHES, net.rounds, strict=True)
        ],
        "last": {"weights": matrix(net.last.weight[0]), "bias": net.last.bias.item()},
    }
