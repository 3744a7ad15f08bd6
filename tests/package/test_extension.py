"""The C of the extension compiles without a warning, and is small enough to be read."""

from pathlib import Path

import pytest
from hatch_build import compile_extension

from scythe.extension import native

WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")
MOST_LINES = 9_000


@pytest.mark.skipif(native is None, reason="there is no compiler")
def test_the_extension_compiles_without_a_warning(tmp_path: Path) -> None:
    assert compile_extension(tmp_path / "_native.abi3.so", *WARNINGS) == ""


def test_there_is_not_much_c(root: Path) -> None:
    files = (root / "src" / "native").glob("*.[ch]")
    assert sum(len(path.read_bytes().splitlines()) for path in files) <= MOST_LINES
