"""The overview, as a person sees it."""

from __future__ import annotations

import pytest
from tests.web.conftest import NARROW, WIDE, Look


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_overview_shows_the_site_at_hand(look: Look, size: tuple[int, int]) -> None:
    eyes = look("/", size=size)
    assert eyes.tab.title() == "Overview · scythe"
    assert "pages at hand" in eyes.tab.inner_text("main")
    assert eyes.overflow() <= 0
    eyes.shoot("overview")


def test_the_token_is_gone_from_the_address(look: Look) -> None:
    eyes = look("/")
    assert "token" not in eyes.tab.url


def test_dark_can_be_chosen_and_is_kept(look: Look) -> None:
    eyes = look("/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = eyes.tab.evaluate(paper)
    eyes.tab.click("#theme")
    assert eyes.tab.evaluate(paper) != light
    eyes.tab.reload()
    assert eyes.tab.evaluate(paper) != light
    eyes.shoot("overview-dark")
