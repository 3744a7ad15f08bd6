"""The network of `scythe.reading.text.network` in torch, for many pages at once; `export` writes the saved form."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pages import KINDS

REACHES = (1, 2, 4, 1)
KIND_ROUND = 2  # the rounds from this one on know what kind of page it is
STREAMS = 10  # self, before, after, three boxes around, style, page mean, page maximum, heading
LEVELS = 5
FORMAT, VERSION = "scythe-text-network", 2  # as scythe.reading.text.network reads it


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
    """Several pages laid end to end; numbers of blocks and boxes count from the first of the batch."""

    blocks: Tensor  # where each stands in the columns of all pages
    numbers: Tensor
    box: Tensor
    parent: Tensor
    inside: Tensor
    start: Tensor
    end: Tensor
    cluster: Tensor
    clusters: int
    heading: Tensor
    page: Tensor  # per block
    box_page: Tensor
    bags: dict[str, tuple[Tensor, Tensor]]  # rows and owners
    pages: int
    numbers_of_pages: Tensor
    chunk_block: Tensor
    chunk_place: Tensor
    place_page: Tensor
    place_wanted: Tensor
    place_weight: Tensor


class Pages:
    """All pages on one device."""

    def __init__(self, columns: dict[str, np.ndarray], device: str) -> None:
        def put(values: np.ndarray) -> Tensor:
            kind = np.float32 if values.dtype.kind == "f" else np.int64
            return torch.from_numpy(np.ascontiguousarray(values.astype(kind))).to(device)

        self.device = device
        self.columns = {key: put(value) for key, value in columns.items() if not key.startswith("size_")}
        self.columns["numbers"] = self.columns["numbers"].half()  # 300 MB otherwise
        self.sizes = {key[5:]: value.astype(np.int64) for key, value in columns.items() if key.startswith("size_")}
        self.starts = {key: np.concatenate([[0], np.cumsum(size)]) for key, size in self.sizes.items()}
        for bag, owner in (("names", "boxes"), ("leads", "blocks"), ("openings", "blocks")):
            sizes = columns[f"{bag}_size"]
            first = np.repeat(self.starts[owner][:-1], self.sizes[owner])
            local = np.arange(len(sizes)) - first
            self.columns[f"{bag}_owner"] = put(np.repeat(local, sizes))
        self.on_device = {key: put(value) for key, value in self.starts.items()}
        self.sizes_there = {key: put(value) for key, value in self.sizes.items()}
        self.clusters = np.maximum.reduceat(columns["cluster"], self.starts["blocks"][:-1]) + 1
        self.places = {key: put(columns["places"][:, i]) for i, key in enumerate(("number", "wanted", "weight"))}

    def lay_out(self, numbers: np.ndarray) -> Batch:
        """Join some pages."""
        chosen = torch.from_numpy(numbers).to(self.device)
        count = len(numbers)
        pages = torch.arange(count, device=self.device)

        def spread(unit: str) -> tuple[Tensor, Tensor, Tensor]:
            """Return places in the columns of all pages, the page of each, and where each page starts in the batch."""
            sizes, total = self.sizes_there[unit][chosen], int(self.sizes[unit][numbers].sum())
            owner = pages.repeat_interleave(sizes, output_size=total)
            begin = torch.cumsum(sizes, 0) - sizes
            places = torch.arange(total, device=self.device) + (self.on_device[unit][chosen] - begin)[owner]
            return places, owner, begin

        blocks, page, first_block = spread("blocks")
        boxes, box_page, first_box = spread("boxes")
        column = self.columns
        bags = {}
        for bag, _own, first in (
            ("names", box_page, first_box),
            ("leads", page, first_block),
            ("openings", page, first_block),
        ):
            ids, of, _ = spread(bag)
            bags[bag] = column[bag][ids], column[f"{bag}_owner"][ids] + first[of]
        ids, of, _ = spread("page_ids")
        bags["page"] = column["page_ids"][ids], of
        entries, of, _ = spread("entries")
        places, place_page, first_place = spread("places")
        entry = column["entries"][entries]
        clusters = self.clusters[numbers]
        first_cluster = torch.from_numpy(np.cumsum(clusters) - clusters).to(self.device)
        box = column["box"][blocks] + first_box[page]
        parent = column["box_parent"][boxes] + first_box[box_page]
        held, levels, at = column["held"][boxes], [], box
        for _ in range(LEVELS):
            levels.append(held[at])
            at = parent[at]
        own = column["numbers"][blocks].float()
        return Batch(
            blocks=blocks, numbers=torch.cat([own, *levels, column["whole"][chosen][page]], 1), box=box, parent=parent,
            inside=column["box_inside"][boxes] + first_box[box_page],
            start=column["box_start"][boxes] + first_block[box_page],
            end=column["box_end"][boxes] + first_block[box_page],
            cluster=column["cluster"][blocks] + first_cluster[page], clusters=int(clusters.sum()),
            heading=column["heading"][blocks] + first_block[page], page=page, box_page=box_page, bags=bags, pages=count,
            numbers_of_pages=chosen,
            chunk_block=entry[:, 0] + first_block[of], chunk_place=entry[:, 1] + first_place[of], place_page=place_page,
            place_wanted=self.places["wanted"][places], place_weight=self.places["weight"][places],
        )  # fmt: skip


def mean_and_deviation(pages: Pages, numbers: np.ndarray, at_once: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the standard deviation of each feature over the blocks of some pages."""
    count, total, squares = 0, 0.0, 0.0
    for start in range(0, len(numbers), at_once):
        features = pages.lay_out(numbers[start : start + at_once]).numbers.double()
        count, total, squares = count + len(features), total + features.sum(0), squares + (features**2).sum(0)
    mean = total / count
    deviation = (squares / count - mean**2).clamp(min=0).sqrt()
    return mean.cpu().numpy(), deviation.cpu().numpy() + 1e-3


class TextNetwork(nn.Module):
    """Blocks in; out come one logit per block and the logits of the kinds of page."""

    def __init__(
        self, sizes: list[int], mean: np.ndarray, deviation: np.ndarray, *, hidden: int = 48, vector: int = 12
    ) -> None:
        super().__init__()
        self.names = nn.Embedding(sizes[0] + 1, vector)
        self.words = nn.Embedding(sizes[1] + 1, vector)
        self.page = nn.Embedding(sizes[2] + 1, 8)
        for table in (self.names, self.words, self.page):
            nn.init.normal_(table.weight, 0, 0.05)
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32))
        self.register_buffer("scale", 1 / torch.tensor(deviation, dtype=torch.float32))
        self.first = nn.Linear(len(mean) + 5 * vector + 8, hidden)
        self.rounds = nn.ModuleList([nn.Linear(STREAMS * hidden, hidden) for _ in REACHES])
        self.kind = nn.Linear(2 * hidden, len(KINDS))
        self.by_kind = nn.ModuleList([nn.Linear(len(KINDS), hidden, bias=False) for _ in REACHES[KIND_ROUND:]])
        self.last = nn.Linear(hidden, 1)
        self.last_by_kind = nn.Linear(len(KINDS), 1, bias=False)
        self.drop = Drop()

    def _bag(self, table: nn.Embedding, rows_owners: tuple[Tensor, Tensor], count: int, drop: float) -> Tensor:
        rows, owners = rows_owners
        vectors = functional.embedding(rows, table.weight) * (rows > 0).unsqueeze(1)
        if self.training and drop:
            vectors = vectors * (torch.rand(len(rows), 1, device=rows.device) > drop)
        return vectors.new_zeros(count, vectors.shape[1]).index_add_(0, owners, vectors)

    def forward(self, b: Batch) -> tuple[Tensor, Tensor]:
        drop, count = self.drop, len(b.numbers)
        numbers = ((b.numbers - self.mean) * self.scale).clamp(-5, 5)
        own = self._bag(self.names, b.bags["names"], len(b.parent), drop.names)
        lead = self._bag(self.names, b.bags["leads"], count, drop.names)
        words = self._bag(self.words, b.bags["openings"], count, drop.words)
        page = self._bag(self.page, b.bags["page"], b.pages, drop.page)[b.page]
        if self.training:
            numbers = numbers * (torch.rand_like(numbers) > drop.numbers)
            shown = (torch.rand(b.pages, 2, device=numbers.device) > drop.kind).float()
            own, lead, words = own * shown[b.box_page, :1], lead * shown[b.page, :1], words * shown[b.page, 1:]
        near = b.parent[b.box]
        far = b.parent[near]
        paths = self._sum_paths(own, b.inside)
        vectors = torch.cat([lead, own[b.box], own[near] + own[far], paths[b.box], words, page], 1)
        h = torch.relu(self.first(torch.cat([numbers, torch.tanh(vectors)], 1)))
        h = functional.dropout(h, drop.hidden, self.training)
        boxes = (near, far, b.parent[b.parent[far]])
        by_kind, logits = None, None
        for number, (linear, reach) in enumerate(zip(self.rounds, REACHES, strict=True)):
            mean, top = self._page_of(h, b)
            if number == KIND_ROUND:
                logits = self.kind(torch.cat([mean, top], 1))
                by_kind = torch.softmax(logits, 1)
            known = self.by_kind[number - KIND_ROUND](by_kind) if by_kind is not None else None
            seen = self._look_around(linear, h, b, reach, boxes, mean, top, known)
            h = h + functional.dropout(torch.relu(seen), drop.hidden, self.training)
        return self.last(h).squeeze(1) + self.last_by_kind(by_kind).squeeze(1)[b.page], logits

    @staticmethod
    def _sum_paths(own: Tensor, inside: Tensor) -> Tensor:
        """Add to each box the vectors of all above: a box counts from where it starts to where it ends."""
        steps = torch.cat([own, own.new_zeros(1, own.shape[1])]).index_add(0, inside, -own)
        return torch.cumsum(steps.double(), 0)[:-1].float()

    @staticmethod
    def _page_of(h: Tensor, b: Batch) -> tuple[Tensor, Tensor]:
        index = b.page.unsqueeze(1).expand(-1, h.shape[1])
        mean = h.new_zeros(b.pages, h.shape[1]).index_add_(0, b.page, h)
        size = torch.bincount(b.page, minlength=b.pages).unsqueeze(1)
        return mean / size, h.new_zeros(b.pages, h.shape[1]).scatter_reduce(0, index, h, "amax")

    def _look_around(
        self, linear: nn.Linear, h: Tensor, b: Batch, reach: int, boxes: tuple[Tensor, ...], mean: Tensor, top: Tensor,
        known: Tensor | None,
    ) -> Tensor:  # fmt: skip
        """Return what a layer makes of all streams side by side: multiplied first, where many blocks share a stream."""
        width = h.shape[1]
        part = linear.weight.view(width, STREAMS, width).unbind(1)
        own, before, after, heading = (h @ torch.cat([part[0], part[1], part[2], part[9]]).T).split(width, 1)
        same = (b.page[reach:] == b.page[:-reach]).unsqueeze(1)
        seen = own + heading.index_select(0, b.heading)
        seen = seen + functional.pad(before[:-reach] * same, (0, 0, reach, 0))
        seen = seen + functional.pad(after[reach:] * same, (0, 0, 0, reach))
        running = torch.cat([h.new_zeros(1, width, dtype=torch.float64), torch.cumsum(h.double(), 0)])
        pools = []
        for box in boxes:
            start, end = b.start[box], b.end[box]
            total = running.index_select(0, end) - running.index_select(0, start)
            pools.append((total / (end - start).clamp(min=1).unsqueeze(1)).float())
        seen = seen + torch.cat(pools, 1) @ torch.cat(part[3:6], 1).T
        sums = h.new_zeros(b.clusters, width).index_add_(0, b.cluster, h)
        style = sums / torch.bincount(b.cluster, minlength=b.clusters).clamp(min=1).unsqueeze(1)
        page = mean @ part[7].T + top @ part[8].T + linear.bias
        if known is not None:
            page = page + known
        return seen + (style @ part[6].T).index_select(0, b.cluster) + page.index_select(0, b.page)


def pack(values: np.ndarray, kind: str) -> dict[str, Any]:
    """Return an array as JSON values, as scythe.reading.text.network reads them."""
    stored = values.astype({"int8": "<i1", "float16": "<f2"}[kind])
    return {"shape": list(values.shape), kind: b64encode(stored.tobytes()).decode()}


def export(state: dict[str, np.ndarray], vocabulary: list[list[str]]) -> str:
    """Return the saved form: vectors as bytes with one scale, matrices in half precision."""

    def table(name: str, words: list[str]) -> dict[str, object]:
        rows = state[f"{name}.weight"][1:]
        scale = float(np.abs(rows).max()) / 127
        return {"vocabulary": words, "scale": scale, "rows": pack(np.round(rows / scale), "int8")}

    def layer(name: str) -> dict[str, object]:
        return {"weights": pack(state[f"{name}.weight"].T, "float16"), "bias": pack(state[f"{name}.bias"], "float16")}

    def plain(values: np.ndarray) -> list[float]:
        return [float(f"{value:.6g}") for value in values.tolist()]

    rounds = [{"reach": reach, **layer(f"rounds.{number}")} for number, reach in enumerate(REACHES)]
    by_kind = [pack(state[f"by_kind.{i}.weight"].T, "float16") for i in range(len(REACHES) - KIND_ROUND)]
    saved = {
        "format": FORMAT,
        "version": VERSION,
        **{name: table(name, words) for name, words in zip(("names", "words", "page"), vocabulary, strict=True)},
        "mean": plain(state["mean"]),
        "scale": plain(state["scale"]),
        "first": layer("first"),
        "rounds": rounds,
        "kind": {
            "names": list(KINDS), "round": KIND_ROUND, **layer("kind"), "rounds": by_kind,
            "last": pack(state["last_by_kind.weight"][0], "float16"),
        },
        "last": {"weights": pack(state["last.weight"][0], "float16"), "bias": float(state["last.bias"][0])},
    }  # fmt: skip
    return json.dumps(saved, separators=(",", ":"), ensure_ascii=False)
