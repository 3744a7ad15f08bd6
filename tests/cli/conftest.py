"""Run the command line as a user does: in a process of its own."""

import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.forked import Forked

Run = Callable[..., subprocess.CompletedProcess[str]]

PAGE = """<!doctype html><html lang="en"><head><title>The harvest | Field News</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<main><article><h1>The harvest</h1>
<p>Reapers walked the field before dawn, while the dew was on the barley. They cut it low and bound it by hand.</p>
<h2>A good year</h2>
<p>By noon the carts were full, and the miller stood at the gate to count the sheaves. It had been a dry summer, and
nobody had expected much, but the ears were heavy. "We shall have bread," he said, and nobody disagreed with him.</p>
<p>In the evening a <a href="/dance">dance</a> was held in the barn. The last cart came home when the moon was up.</p>
<figure><img src="cart.jpg" alt="A cart" width="800" height="600"><figcaption>The last cart.</figcaption></figure>
</article></main><footer>Copyright Field News. All rights reserved.</footer></body></html>"""
EMPTY_PAGE = "<html><head><title>Nothing</title></head><body><script>var a = 1</script></body></html>"


class Terminal(io.StringIO):
    """Somebody who looks at what is shown."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.fixture
def scythe(tmp_path: Path, forked: Forked) -> Run:
    """Run `scythe` with arguments in an empty folder."""

    def run(*arguments: str, stdin: str | bytes = b"", check: int | None = 0) -> subprocess.CompletedProcess[str]:
        done = forked.run(arguments, tmp_path, stdin.encode() if isinstance(stdin, str) else stdin)
        out, err = done.stdout.decode(), done.stderr.decode()
        assert check is None or done.returncode == check, f"exit {done.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A small page in a file."""
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path
