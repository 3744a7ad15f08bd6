"""Packages of other people, as an installer would leave them: a module and what says which parts it offers."""

from pathlib import Path


def install_package(folder: Path, name: str, code: str, offers: dict[str, str]) -> None:
    """Put a package into a folder; `offers` has lines of entry points by group."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    groups = "".join(f"[{group}]\n{lines}\n" for group, lines in offers.items())
    (about / "entry_points.txt").write_text(groups, encoding="utf-8")
