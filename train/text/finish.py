"""Put trained networks where they belong: the one that ships, and those of the folds in one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.folds import FOLDS, save_folds


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--trained", type=Path, required=True, help="the folder that train.py wrote")
    args.add_argument("--data", type=Path, required=True, help="folder of *.jsonl.xz page sets")
    args.add_argument("--out", type=Path, help="file of the network that ships")
    args.add_argument("--folds-out", type=Path, help="file of the networks of the folds")
    opts = args.parse_args()
    if opts.out:
        opts.out.write_text((opts.trained / "all.json").read_text() + "\n")
    if opts.folds_out:
        networks = [(opts.trained / f"fold{fold}.json").read_text() for fold in range(FOLDS)]
        save_folds(opts.folds_out, networks, sorted(opts.data.glob("*.jsonl.xz")))


if __name__ == "__main__":
    main()
