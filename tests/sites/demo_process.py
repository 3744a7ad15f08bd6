"""The demo site served by a process of its own: `python -m tests.sites.demo_process OPTIONS.json LOG`."""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from scythe.demo.protocol import Request
from scythe.demo.serve import DemoOptions, start_serving, stop_serving

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class DemoProcess:
    """A demo site served by a process of its own."""

    url: str
    process: subprocess.Popen[str]
    log_file: Path

    @property
    def log(self) -> list[Request]:
        """Every request so far, in the order they came."""
        lines = self.log_file.read_text(encoding="utf-8").splitlines(keepends=True)
        return [Request(**json.loads(line)) for line in lines if line.endswith("\n")]


@contextmanager
def serve_demo_process(options: DemoOptions) -> Iterator[DemoProcess]:
    """Serve a demo site from a process of its own until the block ends; it ends too when this process dies."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "requests.jsonl"
        command = [sys.executable, "-m", "tests.sites.demo_process", json.dumps(asdict(options)), str(log)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            if not url:
                raise OSError("the demo site cannot be served")
            yield DemoProcess(url, process, log)
            process.stdin.close()


async def _serve_here(options: DemoOptions, log: Path) -> None:
    with log.open("a", buffering=1, encoding="utf-8") as lines:
        desk, server = await start_serving(options, lambda asked: _write_down(asked, lines))
        sys.stdout.write(desk.site.world.base + "/\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        await stop_serving(desk, server)


def _write_down(request: Request, lines: TextIO) -> None:
    lines.write(json.dumps(asdict(request)) + "\n")


if __name__ == "__main__":
    asyncio.run(_serve_here(DemoOptions(**json.loads(sys.argv[1])), Path(sys.argv[2])))
