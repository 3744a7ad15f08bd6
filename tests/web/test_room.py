"""What a room shows of where it keeps things."""

from __future__ import annotations

from pathlib import Path

import pytest

from scythe.errors import BadInput
from scythe.web.home import see_about
from scythe.web.operation import Nothing
from scythe.web.room import Room, RoomOptions


@pytest.mark.parametrize(
    "where",
    ["postgresql://ann:s3cret@db.example/web", "postgresql://ann@db.example/web?password=s3cret&sslpassword=s3cret"],
)
def test_no_password_of_a_database_is_shown(where: str) -> None:
    shown = see_about(Room(RoomOptions(where)), Nothing()).archive
    assert shown is not None
    assert "s3cret" not in shown
    assert shown.startswith("postgresql://ann")
    assert "db.example/web" in shown


def test_a_file_is_shown_as_it_was_named(tmp_path: Path) -> None:
    assert Room(RoomOptions(str(tmp_path / "a.db"))).where == str(tmp_path / "a.db")


def test_what_is_no_address_of_a_database_is_told() -> None:
    with pytest.raises(BadInput, match="postgresql://USER@HOST"):
        _ = Room(RoomOptions("postgresql://host:port/x")).where
