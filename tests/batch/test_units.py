"""Units: files, folders and patterns become stretches of work whose names stay the same."""

from pathlib import Path

import pytest
from tests.batch.warcs import page, write

from scythe.batch.units import plan_units
from scythe.errors import BadInput


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_a_large_file_is_split_and_a_small_one_is_not(tmp_path: Path) -> None:
    large = sparse(tmp_path / "large.warc.gz", 400_000_000)
    units = plan_units([str(large), str(write(tmp_path / "small.warc.gz", [page(1)]))])
    assert [unit.begin for unit in units] == [*range(0, 400_000_000, 25_000_000), 0]
    assert [unit.end for unit in units[-3:]] == [375_000_000, None, None]
    assert len({unit.name for unit in units}) == len(units)


def test_parts_of_a_very_large_file_are_not_very_large(tmp_path: Path) -> None:
    units = plan_units([str(sparse(tmp_path / "a.warc.gz", 10_000_000_000))])
    assert {unit.end - unit.begin for unit in units if unit.end is not None} == {64_000_000}


def test_a_file_that_is_not_packed_is_never_split(tmp_path: Path) -> None:
    assert len(plan_units([str(sparse(tmp_path / "a.warc", 400_000_000))])) == 1


def test_names_depend_on_paths_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "a.warc.gz", [page(1)])
    whole = plan_units([str(tmp_path / "x" / "a.warc.gz"), str(tmp_path / "y" / "a.warc.gz")])
    monkeypatch.chdir(tmp_path)
    assert plan_units(["y/*.warc.gz", "x", "x/a.warc.gz"]) == whole[::-1]
    assert whole[0].name != whole[1].name


def test_names_are_safe_whatever_a_file_is_called(tmp_path: Path) -> None:
    odd = "-o 'x' ; rm *\n\u202e" + "long" * 50 + ".warc.gz"
    name = plan_units([str(write(tmp_path / odd, [page(1)]))])[0].name
    assert not set(name) & set("/\\\n*:\u202e")
    assert not name.startswith(("-", "."))
    assert len(name) < 120


def test_html_files_are_gathered_by_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for number in range(501):
        (tmp_path / f"{number:03}.html").touch()
    (tmp_path / "sub" / "a.htm").touch()
    (tmp_path / "notes.txt").touch()
    units = plan_units([str(tmp_path)])
    assert [len(unit.files) for unit in units] == [500, 1, 1]
    assert len({unit.name for unit in units}) == 3


@pytest.mark.parametrize(
    ("given", "why"), [("none.warc.gz", "no such file"), ("*.warc", "no file matches"), (".", "no page in")]
)
def test_nothing_to_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=why):
        plan_units([given])
