"""The `scythe` command line, one module per verb."""

import re

from scythe.package_files import packaged_text


def read_help(name: str) -> str:
    """Return what a verb, or `scythe` itself, says of itself; its lists are shown line by line, as they are."""
    return re.sub(r"(?<=\n\n)(?=\w[^\n]*:\n  )", "\b\n", packaged_text("scythe.cli", f"help/{name}.txt"))
