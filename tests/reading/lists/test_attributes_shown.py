"""What a page shows of its subject: name, price, stock, contacts and the data of its scripts."""

from __future__ import annotations

import json

import pytest

from scythe.page import Page
from scythe.reading.attributes.subject_attributes import read_attributes


def read(body: str, title: str = "Vivace | Guide") -> dict[str, str]:
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return dict(reversed(read_attributes(Page.from_text(html, url="https://guide.example/vivace"))))


def script(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<h1>Vivace</h1><script type="application/json">{text}</script>'


@pytest.mark.parametrize(
    "value",
    [
        "{broken",
        "[" * 100_000,
        {"name": "Other", "price": 1},
        {"name": "Vivace", "price": [1]},
        {"name": "Vivace", "amount": 5},
        {"name": 5, "price": 5},
        [[[[]]]],
        "1",
    ],
)
def test_script_data_without_the_subject_and_its_price_says_nothing(value: object) -> None:
    assert "price" not in read(script(value))
