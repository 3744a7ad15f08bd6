"""A learned site keeps its searches up to date by itself."""

from __future__ import annotations


def page(filler: int, number: int) -> bytes:
    body = f'<p>menu</p>{"<i>x</i>" * filler}<div id="head{number}"><h1 class="t">Title number {number}</h1></div>'
    return f"<html><body>{body}<p>Text of page {number}</p></body></html>".encode()
