"""Train the `auto` text network, or cross-validate it by site. See README.md in this folder."""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations
from pathlib import Path

import numpy as np
import torch
from bench.folds import FOLDS, save_folds
from dataset import Sample, collect_vocabulary, fold_of, load
from network import TextNetwork, export, lay_out
from torch import Tensor
from torch.nn import functional

from scythe.reading.text.block_features import Vocabulary
from scythe.reading.text.choose_text import choose, settle
from scythe.reading.text.network import BlockFacts

EPOCHS, PAGES_PER_STEP, RATE = 12, 8, 3e-3
MEMORY = 0.997  # of the running mean of weights that is kept in the end
LONGEST = 6000  # blocks: longer pages are scored but not learned from
CHUNK_WEIGHT, PSEUDO_WEIGHT = 0.5, 0.3
GUESSERS = ((0, 1, 2), (0, 3, 4), (1, 3, 4), (2, 3, 4))  # folds left out: any two of the five are, by one of them
Scores = dict[tuple[str, str], np.ndarray]


def page_loss(logits: Tensor, sample: Sample, guess: np.ndarray | None) -> Tensor:
    """Return one minus the expected F1 of the page, plus cross-entropy; for chunk pages the cross-entropy of chunks."""
    p, labels = torch.sigmoid(logits), sample.labels
    words = torch.from_numpy(labels.words)
    weights = words.sqrt()
    if not sample.is_thread:  # comments are dropped by rule, the network is not asked
        asked = torch.from_numpy(~sample.features.comment).float()
        p, weights = p * asked, weights * asked
    if labels.hits is not None:
        hits = torch.from_numpy(labels.hits)
        f1 = 2 * (p * hits).sum() / ((p * words).sum() + labels.gold_words + 1e-6)
        return 1 - f1 + 0.7 * _cross_entropy(logits, hits / words.clamp(min=1), weights)
    total, count = logits.sum() * 0, 0
    for wanted, places in labels.chunks:
        if not places:
            continue
        count += 1
        lowest = torch.stack([p[a:b].min() for a, b in (places[:1] if wanted else places)])
        total = total - torch.log((lowest if wanted else 1 - lowest).clamp(1e-4)).mean()
    loss = CHUNK_WEIGHT * total / max(count, 3)
    if guess is not None:
        loss = loss + PSEUDO_WEIGHT * _cross_entropy(logits, torch.from_numpy(guess.astype(np.float32)), weights)
    return loss


def _cross_entropy(logits: Tensor, target: Tensor, weights: Tensor) -> Tensor:
    each = functional.binary_cross_entropy_with_logits(logits, target.clamp(0, 1), reduction="none")
    return (each * weights).sum() / weights.sum().clamp(min=1)


def set_weights(samples: list[Sample]) -> dict[str, float]:
    """Weigh sets by the square root of their size, so that the large ones do not decide alone."""
    counts: dict[str, int] = {}
    for sample in samples:
        counts[sample.set_name] = counts.get(sample.set_name, 0) + 1
    chunked = {sample.set_name for sample in samples if sample.labels.chunks}
    return {name: min(3.0, (count / 150) ** -0.5) * (1.3 if name in chunked else 1.0) for name, count in counts.items()}


def fit(samples: list[Sample], vocabulary: Vocabulary, guesses: Scores, *, seed: int, say: str = "") -> TextNetwork:
    """Train one network."""
    random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    samples = [sample for sample in samples if len(sample.features.numbers) <= LONGEST]
    numbers = np.concatenate([sample.features.numbers for sample in samples])
    net = TextNetwork(vocabulary, numbers.mean(0), numbers.std(0) + 1e-3)
    kept = copy.deepcopy(net.state_dict())
    tables = {id(p) for table in (net.names, net.words, net.page) for p in table.parameters()}
    optimizer = torch.optim.AdamW([
        {"params": [p for p in net.parameters() if id(p) not in tables], "weight_decay": 0.01},
        {"params": [p for p in net.parameters() if id(p) in tables], "weight_decay": 0.05},
    ])  # fmt: skip
    weights, step, steps = set_weights(samples), 0, EPOCHS * math.ceil(len(samples) / PAGES_PER_STEP)
    for epoch in range(EPOCHS):
        net.train()
        order = random.sample(samples, len(samples))
        seen = 0.0
        for at in range(0, len(order), PAGES_PER_STEP):
            group = order[at : at + PAGES_PER_STEP]
            for options in optimizer.param_groups:
                options["lr"] = RATE * min(1, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + 1e-5
            parts = net(lay_out(group)).split([len(sample.features.numbers) for sample in group])
            shares = [weights[sample.set_name] for sample in group]
            losses = [
                share * page_loss(part, sample, guesses.get((sample.set_name, sample.id)))
                for part, sample, share in zip(parts, group, shares, strict=True)
            ]
            loss = torch.stack(losses).sum() / sum(shares)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
            step, seen = step + 1, seen + loss.item()
            memory = min(MEMORY, (1 + step) / (20 + step))
            with torch.no_grad():
                for key, value in net.state_dict().items():
                    kept[key].mul_(memory).add_(value, alpha=1 - memory)
        print(f"{say} epoch {epoch + 1} of {EPOCHS}: loss {seen * PAGES_PER_STEP / len(order):.4f}", flush=True)
    net.load_state_dict(kept)
    return net.eval()


def predict(net: TextNetwork, samples: list[Sample]) -> Scores:
    with torch.no_grad():
        return {(s.set_name, s.id): torch.sigmoid(net(lay_out([s]))).numpy() for s in samples}


def f1_of_sets(samples: list[Sample], scores: Scores) -> dict[str, float]:
    """Return F1 per set from the aligned labels: close to the benchmark's figure, without rendering text."""
    pooled: dict[str, list[tuple[float, float, float]]] = {}
    for sample in samples:
        f = sample.features
        seen = BlockFacts(scores[sample.set_name, sample.id].astype(np.float64), f.words, f.comment, sample.hidden)
        p = settle(seen, is_thread=sample.is_thread)
        kept = np.zeros(len(p), dtype=bool)
        kept[list(choose(p, seen.words))] = True
        pooled.setdefault(sample.set_name, []).append(_counts(sample, kept))
    result = {}
    for name, counts in pooled.items():
        if name in {s.set_name for s in samples if s.labels.chunks}:
            counts = [tuple(map(sum, zip(*counts, strict=True)))]
        result[name] = float(np.mean([2 * h / (2 * h + e + m) if h + e + m else 1.0 for h, e, m in counts]))
    return result


def _counts(sample: Sample, kept: np.ndarray) -> tuple[float, float, float]:
    labels = sample.labels
    if labels.hits is not None:
        hits = float(labels.hits[kept].sum())
        return hits, float(labels.words[kept].sum()) - hits, labels.gold_words - hits
    found = [(wanted, any(kept[a:b].all() for a, b in places)) for wanted, places in labels.chunks]
    hits = sum(wanted and got for wanted, got in found)
    return hits, sum(got and not wanted for wanted, got in found), sum(wanted for wanted, _ in found) - hits


def cross_validate(samples: list[Sample], vocabulary: Vocabulary, folds: int, guesses: Scores, workers: int) -> Scores:
    """Score every page with a network that saw no page of its site."""
    scores: Scores = {}
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(_one_fold, samples, vocabulary, fold, folds, guesses) for fold in range(folds)]
        for job in jobs:
            scores |= job.result()
    return scores


def _one_fold(samples: list[Sample], vocabulary: Vocabulary, fold: int, folds: int, guesses: Scores) -> Scores:
    shown = [s for s in samples if fold_of(s.site, folds) != fold]
    hidden = [s for s in samples if fold_of(s.site, folds) == fold]
    return predict(fit(shown, vocabulary, guesses, seed=fold, say=f"fold {fold}"), hidden)


def fold_networks(samples: list[Sample], vocabulary: Vocabulary) -> list[TextNetwork]:
    """Return for each fold a network that no label of its sites took part in.

    The second pass of a fold learns from guesses about the others. They come from networks that saw neither that fold
    nor the one they guess about.
    """
    guesses: list[Scores] = [{} for _ in range(FOLDS)]
    for number, unseen in enumerate(GUESSERS):
        shown = [s for s in samples if s.fold not in unseen]
        net = fit(shown, vocabulary, {}, seed=100 + number, say=f"without folds {unseen}")
        for left_out, guessed in permutations(unseen, 2):
            own = [s for s in samples if s.fold == guessed and s.labels.chunks]
            guesses[left_out] = predict(net, own) | guesses[left_out]
    return [
        fit([s for s in samples if s.fold != fold], vocabulary, guesses[fold], seed=fold, say=f"without fold {fold}")
        for fold in range(FOLDS)
    ]


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--data", type=Path, required=True, help="folder of *.jsonl.xz page sets")
    args.add_argument("--out", type=Path, help="train on everything and write the network here")
    args.add_argument("--folds", type=int, default=5)
    args.add_argument(
        "--passes", type=int, default=2, help="2: learn unlabelled parts of chunk pages from a first pass"
    )
    args.add_argument("--scores", type=Path, help="write the cross-validated block scores here, as JSON")
    args.add_argument("--guesses", type=Path, help="scores of an earlier pass: skips the cross-validation before --out")
    args.add_argument("--folds-out", type=Path, help="write networks for `python -m bench --folds`, one per fold, here")
    args.add_argument("--workers", type=int, default=2)
    args.add_argument("--seed", type=int, default=0)
    opts = args.parse_args()
    paths = sorted(opts.data.glob("*.jsonl.xz"))
    vocabulary = collect_vocabulary(paths)
    samples = load(paths, vocabulary)
    print(f"{len(samples)} pages, {len({s.site for s in samples})} sites", flush=True)
    if opts.folds_out:
        networks = fold_networks(samples, vocabulary)
        held_out: Scores = {}
        for fold, net in enumerate(networks):
            held_out |= predict(net, [s for s in samples if s.fold == fold])
        print("held out:", {k: round(v, 4) for k, v in f1_of_sets(samples, held_out).items()}, flush=True)
        save_folds(opts.folds_out, [json.dumps(export(net, vocabulary)) for net in networks], paths)
        return
    guesses: Scores = {}
    if opts.guesses:
        saved = json.loads(opts.guesses.read_text())
        guesses = {tuple(key.split("\t")): np.array(value) for key, value in saved.items()}
    else:
        for number in range(1, opts.passes + 1):
            guesses = cross_validate(samples, vocabulary, opts.folds, guesses, opts.workers)
            print(f"pass {number}:", {k: round(v, 4) for k, v in f1_of_sets(samples, guesses).items()}, flush=True)
            if opts.scores:
                plain = {"\t".join(key): np.round(value, 4).tolist() for key, value in guesses.items()}
                opts.scores.with_suffix(f".{number}.json").write_text(json.dumps(plain))
    if opts.out:
        net = fit(samples, vocabulary, guesses, seed=opts.seed, say="all pages")
        opts.out.write_text(json.dumps(export(net, vocabulary), separators=(",", ":"), ensure_ascii=False) + "\n")
        print(f"wrote {opts.out}")


if __name__ == "__main__":
    main()
