from pathlib import Path

import pytest
from tests.archive.visiting import HOST, SITE

from scythe.archive.open import open_archive
from scythe.archive.stored_sites import (
    add_site,
    find_site,
    is_in_archive,
    read_profile,
    save_profile,
    stored_profile,
    write_profile,
)
from scythe.errors import BadInput


def add(where: str, key: str, profile: str | None = None) -> None:
    with open_archive(where) as archive:
        site = add_site(archive, key, SITE)
        if profile is not None:
            save_profile(archive, site, profile)


def test_a_profile_is_read_from_an_archive_as_from_a_file(where: str, tmp_path: Path) -> None:
    add(where, HOST, '{"a": 1}')
    (tmp_path / "site.json").write_text('{"a": 2}', encoding="utf-8")
    assert (read_profile(where), read_profile(f"{where}#{HOST}")) == ('{"a": 1}',) * 2
    assert read_profile(tmp_path / "site.json") == '{"a": 2}'


def test_an_archive_is_told_from_a_file(where: str, tmp_path: Path) -> None:
    open_archive(where).close()
    (tmp_path / "site.json").write_text("{}", encoding="utf-8")
    assert is_in_archive(where)
    assert is_in_archive(f"{where}#{HOST}")
    assert not is_in_archive(tmp_path / "site.json")
    assert not is_in_archive(tmp_path / "missing.json")
    assert not is_in_archive("#")


def test_one_of_several_sites_has_to_be_named(where: str) -> None:
    add(where, "one.example", "{}")
    add(where, "two.example", "[]")
    with pytest.raises(BadInput, match=r"several sites \(one.example, two.example\): say which with .*#one.example"):
        read_profile(where)
    assert read_profile(f"{where}#two.example") == "[]"
    with pytest.raises(BadInput, match=r"there is no site 'three.example'"):
        read_profile(f"{where}#three.example")


def test_the_only_site_that_was_learned_need_not_be_named(where: str) -> None:
    add(where, "one.example")
    with pytest.raises(BadInput, match=r"nothing was learned of any site"):
        read_profile(where)
    add(where, "two.example", "[]")
    assert read_profile(where) == "[]"
    with pytest.raises(BadInput, match=r"nothing was learned of one.example yet"):
        read_profile(f"{where}#one.example")


def test_a_profile_is_written_where_it_is_kept(where: str, tmp_path: Path) -> None:
    add(where, HOST)
    write_profile(where, "[1]")
    write_profile(f"{where}#new.example", "[2]", "https://new.example/")
    write_profile(tmp_path / "site.json", "[3]")
    with open_archive(where) as archive:
        assert stored_profile(archive, find_site(archive, HOST) or 0) == "[1]"
        assert stored_profile(archive, find_site(archive, "new.example") or 0) == "[2]"
    assert (tmp_path / "site.json").read_text(encoding="utf-8") == "[3]"
    with pytest.raises(BadInput, match=r"there is no site 'third.example'"):
        write_profile(f"{where}#third.example", "[2]")


def test_what_is_no_text_is_no_profile(tmp_path: Path) -> None:
    (tmp_path / "page.bin").write_bytes(b"ab\xff")
    with pytest.raises(BadInput, match=r"byte 2: not UTF-8"):
        read_profile(tmp_path / "page.bin")
