"""Train the `auto` text network from the arrays that `dataset.py` wrote. See README.md in this folder."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from network import Batch, Pages, TextNetwork, export, mean_and_deviation
from torch import Tensor
from torch.nn import functional

from pages import KINDS, load

FOLDS = 5
PAGES_PER_STEP, RATE = 8, 3e-3
MEMORY = 0.997  # of the running mean of weights that is kept in the end
LONGEST = 6000  # blocks: longer pages are scored but not learned from
CHUNK_WEIGHT, PSEUDO_WEIGHT = 0.5, 0.3
KIND_WEIGHT, KIND_SMOOTHING = 0.3, 0.05
KIND_OF_SET_WEIGHT = 0.3  # of the kind of pages whose set is of one kind, mostly
Guesses = dict[int, np.ndarray]  # by page: one probability per block


@dataclass(frozen=True)
class Job:
    """One network to train: the folds it must not see, and where what others guessed is."""

    name: str
    unseen: tuple[int, ...]
    seed: int
    guessed_by: tuple[str, ...] = ()  # names of earlier jobs
    epochs: int = 12
    guess_share: float = 0.6  # of the target of a block with gold, for what others guess about it
    soft: bool = False  # the words wanted of a page are mixed likewise


@dataclass
class Data:
    """What every job reads."""

    pages: Pages
    info: list[dict[str, Any]]
    vocabulary: list[list[str]]

    def chosen(self, folds: Sequence[int]) -> np.ndarray:
        """Return the numbers of the pages whose sites are not of these folds."""
        return np.array([number for number, page in enumerate(self.info) if page["fold"] not in folds])


def group_of(page: dict[str, Any]) -> str:
    """Return what a page is weighed with: its set or, where a set has pages of every kind, those of its kind."""
    return page["set"] if page["set"] != "wcxb" else f"wcxb {page['kind']}"


def page_weights(info: list[dict[str, Any]]) -> list[float]:
    """Weigh sets by the square root of their size, so that the large ones do not decide alone."""
    counts = Counter(map(group_of, info))
    weights = {name: min(3.0, (count / 150) ** -0.5) for name, count in counts.items()}
    return [weights[group_of(page)] * (1.3 if page["chunked"] else 1.0) for page in info]


class Loss:
    """What pages cost: one minus the expected F1 and cross-entropy, or that of chunks; the kind of page beside it."""

    def __init__(self, data: Data, guesses: Guesses, guess_share: float, soft: bool) -> None:
        column, info, device = data.pages.columns, data.info, data.pages.device
        self.column, self.share, self.soft = column, guess_share, soft
        self.weight = torch.tensor(page_weights(info), device=device)
        self.gold_words = torch.tensor([float(page["gold_words"]) for page in info], device=device)
        self.chunked = torch.tensor([page["chunked"] for page in info], device=device)
        self.thread = torch.tensor(
            [page["thread"] or page["kind"] == KINDS.index("thread") for page in info], device=device
        )
        self.kind = torch.tensor([page["kind"] for page in info], device=device)
        told = [1.0 if page["set"] == "wcxb" else KIND_OF_SET_WEIGHT for page in info]
        self.kind_weight = torch.tensor(told, device=device) * (self.kind >= 0)
        self.guess = torch.full((len(column["box"]),), -1.0, device=device)
        for number, values in guesses.items():
            start = data.pages.starts["blocks"][number]
            self.guess[start : start + len(values)] = torch.from_numpy(values.astype(np.float32)).to(device)

    def __call__(self, logits: Tensor, kinds: Tensor, b: Batch) -> Tensor:
        numbers, page = b.numbers_of_pages, b.page
        words, hits = self.column["label_words"][b.blocks], self.column["hits"][b.blocks]
        asked = self.thread[numbers][page] | (self.column["comment"][b.blocks] == 0)  # a rule drops other comments
        p = torch.sigmoid(logits) * asked
        weights = words.sqrt() * asked
        chunked, guess = self.chunked[numbers], self.guess[b.blocks]
        guessed = guess >= 0

        def total(values: Tensor) -> Tensor:
            return values.new_zeros(b.pages).index_add_(0, page, values)

        gold = (hits / words.clamp(min=1)).clamp(0, 1)
        mixed = torch.where(guessed, (1 - self.share) * gold + self.share * guess, gold)
        wanted = self.gold_words[numbers]
        if self.soft:
            wanted = wanted + total((mixed - gold) * words)
            hits = mixed * words
        f1 = 2 * total(p * hits) / (total(p * words) + wanted + 1e-6)
        target = torch.where(chunked[page], guess.clamp(min=0), mixed)
        known = weights * (guessed | ~chunked[page])
        each = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        entropy = total(each * known) / total(known).clamp(min=1)
        of_chunks = CHUNK_WEIGHT * self._chunks(p, b) + PSEUDO_WEIGHT * entropy
        loss = torch.where(chunked, of_chunks, 1 - f1 + 0.7 * entropy)
        of_kind = functional.cross_entropy(
            kinds, self.kind[numbers].clamp(min=0), reduction="none", label_smoothing=KIND_SMOOTHING
        )
        loss = loss + KIND_WEIGHT * self.kind_weight[numbers] * of_kind
        share = self.weight[numbers]
        return (loss * share).sum() / share.sum()

    @staticmethod
    def _chunks(p: Tensor, b: Batch) -> Tensor:
        lowest = p.new_ones(len(b.place_page)).scatter_reduce(0, b.chunk_place, p[b.chunk_block], "amin")
        right = torch.where(b.place_wanted > 0, lowest, 1 - lowest)
        return p.new_zeros(b.pages).index_add_(0, b.place_page, -torch.log(right.clamp(1e-4)) * b.place_weight)


def fit(data: Data, job: Job, guesses: Guesses) -> TextNetwork:
    """Train one network."""
    torch.manual_seed(job.seed)
    order = np.random.default_rng(job.seed)
    shown = data.chosen(job.unseen)
    shown = shown[data.pages.sizes["blocks"][shown] <= LONGEST]
    sizes = [len(words) for words in data.vocabulary]
    net = TextNetwork(sizes, *mean_and_deviation(data.pages, shown)).to(data.pages.device)
    loss_of = Loss(
        data,
        {number: guesses[number] for number in guesses if data.info[number]["fold"] not in job.unseen},
        job.guess_share,
        job.soft,
    )
    tables = {id(p) for table in (net.names, net.words, net.page) for p in table.parameters()}
    parameters = list(net.parameters())
    kept = [p.detach().clone() for p in parameters]
    groups = [
        {"params": [p for p in parameters if id(p) not in tables], "weight_decay": 0.01},
        {"params": [p for p in parameters if id(p) in tables], "weight_decay": 0.05},
    ]
    optimizer = torch.optim.AdamW(groups, fused=data.pages.device != "cpu")
    step, steps = 0, job.epochs * math.ceil(len(shown) / PAGES_PER_STEP)
    for epoch in range(job.epochs):
        net.train()
        shuffled, seen = order.permutation(shown), torch.zeros((), device=data.pages.device)
        for at in range(0, len(shuffled), PAGES_PER_STEP):
            for options in optimizer.param_groups:
                options["lr"] = RATE * min(1, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + 1e-5
            batch = data.pages.lay_out(shuffled[at : at + PAGES_PER_STEP])
            loss = loss_of(*net(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 2.0)
            optimizer.step()
            step, seen = step + 1, seen + loss.detach()
            memory = min(MEMORY, (1 + step) / (20 + step))
            with torch.no_grad():
                torch._foreach_lerp_(kept, parameters, 1 - memory)
        print(
            f"{job.name} epoch {epoch + 1} of {job.epochs}: loss {seen.item() * PAGES_PER_STEP / len(shown):.4f}",
            flush=True,
        )
    with torch.no_grad():
        for parameter, mean in zip(parameters, kept, strict=True):
            parameter.copy_(mean)
    return net.eval()


def predict(
    data: Data, net: TextNetwork, numbers: np.ndarray, at_once: int = 16
) -> tuple[Guesses, dict[int, np.ndarray]]:
    """Return for each page the probabilities of its blocks, and those of the kinds of page."""
    blocks, kinds = {}, {}
    with torch.no_grad():
        for start in range(0, len(numbers), at_once):
            some = numbers[start : start + at_once]
            logits, kind = net(data.pages.lay_out(some))
            parts = np.split(torch.sigmoid(logits).cpu().numpy(), np.cumsum(data.pages.sizes["blocks"][some])[:-1])
            for number, part, one in zip(some, parts, torch.softmax(kind, 1).cpu().numpy(), strict=True):
                blocks[int(number)], kinds[int(number)] = part, one
    return blocks, kinds


def run(job: Job, file: Path, folder: Path, device: str) -> str:
    """Train one network; write its weights, and what it says of the pages that it has not seen."""
    torch.set_num_threads(1)
    columns, info, vocabulary = load(file)
    data = Data(Pages(columns, device), info, vocabulary)
    net = fit(data, job, read_guesses(folder, job, info))
    hidden = np.array([number for number, page in enumerate(info) if page["fold"] in job.unseen], dtype=np.int64)
    blocks, kinds = predict(data, net, hidden)
    said = {f"blocks {number}": values.astype(np.float16) for number, values in blocks.items()}
    said |= {f"kinds {number}": values.astype(np.float16) for number, values in kinds.items()}
    np.savez(folder / f"{job.name}.said.npz", **said)
    state = {key: value.cpu().numpy() for key, value in net.state_dict().items()}
    (folder / f"{job.name}.json").write_text(export(state, vocabulary))
    return job.name


def read_guesses(folder: Path, job: Job, info: list[dict[str, Any]]) -> Guesses:
    """Return what earlier networks said of each page, on average, without the folds that this job must not see."""
    found: dict[int, list[np.ndarray]] = {}
    for name in job.guessed_by:
        with np.load(folder / f"{name}.said.npz") as said:
            for key in said.files:
                kind, _, number = key.partition(" ")
                if kind == "blocks" and info[int(number)]["fold"] not in job.unseen:
                    found.setdefault(int(number), []).append(said[key].astype(np.float32))
    return {number: np.mean(values, axis=0) for number, values in found.items()}


def plan(part: str) -> list[list[Job]]:
    """Return the passes: networks without any two folds, those without one, which learn from them, and the last."""
    pairs = [Job(f"pair{a}{b}", (a, b), 100 + 10 * a + b) for a, b in combinations(range(FOLDS), 2)]
    single = []
    for fold in range(FOLDS):
        seen_by = tuple(job.name for job in pairs if fold in job.unseen)
        single.append(Job(f"fold{fold}", (fold,), fold, seen_by))
        if part == "all":  # what ships learns from three that have seen neither the page nor its site
            single.append(Job(f"fold{fold}a", (fold,), fold, seen_by, guess_share=0.3))
            single.append(Job(f"fold{fold}d", (fold,), fold, seen_by, soft=True))
    last = [Job("all", (), 0, tuple(job.name for job in single))]
    return [pairs, single, last] if part == "all" else [pairs, single]


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--pages", type=Path, required=True, help="what dataset.py wrote")
    args.add_argument("--out", type=Path, required=True, help="folder for networks and what they say of unseen pages")
    args.add_argument("--part", default="all", choices=("folds", "all"), help="folds: without the one that ships")
    args.add_argument("--workers", type=int, default=2, help="networks trained at a time")
    args.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    opts = args.parse_args()
    opts.out.mkdir(parents=True, exist_ok=True)
    for jobs in plan(opts.part):
        with ProcessPoolExecutor(opts.workers, mp_context=get_context("spawn")) as pool:
            for done in [pool.submit(run, job, opts.pages, opts.out, opts.device) for job in jobs]:
                print("trained", done.result(), flush=True)


if __name__ == "__main__":
    main()
