"""Train the models that `python -m bench --folds` scores with: `python train/folds.py --data DIR --out train/folds`.

Each of the three tasks gets one model per fold of the sites, trained without these. The folder of a task has its own
modules, so each runs in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DATA = {"text": "text", "images": ".", "records": "records"}  # what each script is given of the folder of all sets
WORKERS = "2"  # networks for text trained at a time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with text/, images/ and records/")
    parser.add_argument("--out", type=Path, required=True, help="folder for the models")
    parser.add_argument("--task", choices=DATA, action="append", help="only this one; may be given several times")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for task in asked.task or DATA:
        data, file = asked.data / DATA[task], asked.out / f"{task}.json.xz"
        for script, *options in _steps(task, data, file):
            subprocess.run([sys.executable, HERE / task / script, *options], check=True)
        print(f"wrote {file}, {file.stat().st_size} bytes", flush=True)


def _steps(task: str, data: Path, file: Path) -> list[list[str | Path]]:
    if task != "text":
        return [["train.py", "--data", data, "--folds-out", file]]
    pages, trained = Path("build", "text-pages.npz"), Path("build", "text-trained")
    pages.parent.mkdir(exist_ok=True)
    return [
        ["dataset.py", "--data", data, "--out", pages],
        ["train.py", "--pages", pages, "--out", trained, "--part", "folds", "--workers", WORKERS],
        ["finish.py", "--trained", trained, "--data", data, "--folds-out", file],
    ]


if __name__ == "__main__":
    main()
