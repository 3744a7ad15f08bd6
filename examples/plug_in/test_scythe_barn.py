"""What the authors of a plug-in run: scythe's own checks of everything it relies on."""

from __future__ import annotations

from pathlib import Path

from scythe_barn import Barn, PlainFetcher, Speech, Units, keep_paragraphs

from scythe.testing import (
    check_fetcher,
    check_record_characteristic,
    check_store,
    check_text_characteristic,
    check_text_method,
)


def test_the_store_keeps_its_promises(tmp_path: Path) -> None:
    check_store(lambda: Barn(str(tmp_path / "bodies.db")))


def test_the_fetcher_keeps_its_promises() -> None:
    check_fetcher(PlainFetcher)


def test_the_text_method_keeps_its_promises() -> None:
    check_text_method(keep_paragraphs)


def test_the_characteristics_keep_their_promises() -> None:
    check_text_characteristic(Speech())
    check_record_characteristic(Units())
