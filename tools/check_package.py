"""Look into the wheel and the source archive before anybody else does: `python -m tools.check_package dist`.

Everything that belongs there is there, nothing else is, and what it says of itself is true. One line for each fault.
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from email.message import Message
from pathlib import Path

from markdown_it import MarkdownIt
from tools.source_files import source_files
from trove_classifiers import classifiers

ROOT = Path(__file__).resolve().parent.parent
COMPILED = {"scythe/_native.abi3.so"}
DIST_INFO = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
MANUAL = "data/data/share/man/man1/scythe.1"
# what a source archive may lack, and what it has that no repository has
NOT_SHIPPED, MADE = {".ci/run"}, {"PKG-INFO"}
MOST_WHEEL_BYTES = 4_000_000


def check_wheel(path: Path, sources: set[str]) -> Iterator[str]:
    """Yield what is wrong with a wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        stem = "-".join(path.name.split("-")[:2])
        metadata = message_from_bytes(wheel.read(f"{stem}.dist-info/METADATA"))
        tags = message_from_bytes(wheel.read(f"{stem}.dist-info/WHEEL"))
        commands = wheel.read(f"{stem}.dist-info/entry_points.txt").decode()
    own = {name.removeprefix("src/") for name in sources if name.startswith("src/scythe/")}
    around = {f"{stem}.dist-info/{name}" for name in DIST_INFO} | {f"{stem}.{MANUAL}"}
    yield from (f"{path.name} lacks {name}" for name in sorted((own | around) - names))
    yield from (f"{path.name} should not have {name}" for name in sorted(names - own - around - COMPILED))
    yield from check_tags(path.name, tags, names & COMPILED)
    yield from check_metadata(metadata, sources)
    if "scythe = scythe.cli.main:run" not in commands:
        yield f"{path.name} installs no command"
    if path.stat().st_size > MOST_WHEEL_BYTES:
        yield f"{path.name} has {path.stat().st_size} bytes; {MOST_WHEEL_BYTES} are the most"


def check_tags(name: str, tags: Message, compiled: set[str]) -> Iterator[str]:
    """Yield where the name of a wheel, its tag and what it holds do not fit together."""
    tag = str(tags["Tag"])
    if not name.endswith(f"-{tag}.whl"):
        yield f"{name} says of itself that it is for {tag}"
    if compiled and (
        compiled != COMPILED or not re.fullmatch(r"cp311-abi3-(linux|macosx|manylinux|musllinux)\w+", tag)
    ):
        yield f"{name} has {len(compiled)} of {len(COMPILED)} compiled modules and the tag {tag}"
    if not compiled and tag != "py3-none-any":
        yield f"{name} has no compiled module and the tag {tag}"
    if str(tags["Root-Is-Purelib"]) != str(not compiled).lower():
        yield f"{name}: Root-Is-Purelib is {tags['Root-Is-Purelib']}"


def check_metadata(metadata: Message, sources: set[str]) -> Iterator[str]:
    """Yield what an index would refuse, or people miss, in what the package says of itself."""
    wanted = ("Name", "Version", "Summary", "License-Expression", "License-File", "Requires-Python", "Keywords")
    yield from (f"the metadata have no {name}" for name in wanted if not metadata[name])
    yield from (
        f"there is no classifier {one!r}" for one in metadata.get_all("Classifier", []) if one not in classifiers
    )
    lowest = re.search(r"3\.(\d+)", str(metadata["Requires-Python"]))
    named = [int(one.rpartition(".")[2]) for one in metadata.get_all("Classifier", []) if ":: Python :: 3." in one]
    if lowest is None or not named or min(named) != int(lowest[1]):
        yield f"Requires-Python is {metadata['Requires-Python']}, the classifiers name 3.{min(named, default=0)}"
    for line in metadata.get_all("Requires-Dist", []):
        if " @ " in line:
            yield f"an index takes no address: {line}"
    if metadata["Description-Content-Type"] != "text/markdown":
        yield f"the description is {metadata['Description-Content-Type']}"
    yield from check_readme(str(metadata.get_payload()), sources)


def check_readme(text: str, sources: set[str]) -> Iterator[str]:
    """Yield links of the description that lead nowhere, and markup that was not understood."""
    html = MarkdownIt("commonmark").enable("table").render(text)
    if html.count("<h1>") != 1 or "<table>" not in html:
        yield "the description does not have one heading and a table"
    for target in re.findall(r'(?:href|src)="([^"#]+)', html):
        path = target.partition("#")[0]
        if not re.match(r"[a-z]+:", path) and path not in sources:
            yield f"the description links to {path}, which is not there"


def check_source_archive(path: Path, sources: set[str]) -> Iterator[str]:
    """Yield what is wrong with a source archive."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    yield from (f"{path.name} lacks {name}" for name in sorted(sources - NOT_SHIPPED - names))
    yield from (f"{path.name} should not have {name}" for name in sorted(names - sources - MADE))


def check(folder: Path, sources: set[str]) -> list[str]:
    """Return everything that is wrong with what was built into a folder from these files."""
    wheels, archives = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    faults = [] if wheels or archives else [f"{folder} has neither a wheel nor a source archive"]
    faults += [fault for path in wheels for fault in check_wheel(path, sources)]
    return faults + [fault for path in archives for fault in check_source_archive(path, sources)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each fault; return 1 where there are some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist")
    folder = parser.parse_args(arguments).folder
    faults = check(folder, source_files())
    for fault in faults:
        print(f"fault: {fault}", file=sys.stderr)
    for path in sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")]):
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
