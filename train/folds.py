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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with text/, images/ and records/")
    parser.add_argument("--out", type=Path, required=True, help="folder for the models")
    parser.add_argument("--task", choices=DATA, action="append", help="only this one; may be given several times")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for task in asked.task or DATA:
        script, file = HERE / task / "train.py", asked.out / f"{task}.json.xz"
        command = [sys.executable, script, "--data", asked.data / DATA[task], "--folds-out", file]
        subprocess.run(command, check=True)
        print(f"wrote {file}, {file.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
