"""Write docs/reference/api-http.md from the operations themselves: `make http-reference`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scythe.web.interface.interface import FieldDoc, FormDoc, OperationDoc, tell_areas, tell_forms
from scythe.web.openapi import describe_interface

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "api-http.md"
HEAD = """# JSON interface

{about}

[Use scythe from other programs](../how-to/use-from-programs.md) shows how to begin. The same is on the page `/api` of a
running server and, for programs, at `/api/openapi.json`. This page is written by `make http-reference`; a test
compares it with the code.

## Errors

Every answer that is none has a body `{{"error": "what was expected and what came"}}`.

| status | description |
|---|---|
{errors}
"""


def cell(text: str) -> str:
    """Return a text for a cell of a table."""
    return " ".join(text.replace("|", "\\|").split())


def table(fields: Sequence[FieldDoc], *, of_request: bool) -> str:
    """Write fields as a table."""
    head = "| name | in | what it is | default | description |\n|---|---|---|---|---|"
    rows = [head if of_request else "| name | what it is | description |\n|---|---|---|"]
    for one in fields:
        default = "needed" if one.must else f"`{cell(one.default)}`" if one.default else ""
        middle = f" {one.where} | {cell(one.kind)} | {default} |" if of_request else f" {cell(one.kind)} |"
        rows.append(f"| `{one.name}` |{middle} {cell(one.description)} |")
    return "\n".join(rows)


def describe(one: OperationDoc) -> str:
    """Write one operation."""
    tool = f" Tool of `scythe mcp`: `{one.tool}`." if one.tool else ""
    parts = [f"### {one.method} {one.path}", f"{one.description} Answers with {one.answer}.{tool}"]
    if one.fields:
        parts.append(table(one.fields, of_request=True))
    parts.append(f"```text\n{one.curl}\n```")
    return "\n\n".join(parts)


def describe_form(form: FormDoc) -> str:
    """Write one record."""
    return f"### {form.name}\n\n{' '.join(form.description.split())}\n\n{table(form.fields, of_request=False)}"


def reference() -> str:
    """Return the whole page."""
    whole = describe_interface()
    errors = "\n".join(
        f"| {status} | {one['description']} |" for status, one in whole["components"]["responses"].items()
    )
    sections = [HEAD.format(about=whole["info"]["description"], errors=errors)]
    for area in tell_areas():
        sections.append(f"## {area.name.capitalize()}\n\n{area.description.splitlines()[0]}\n")
        sections += [f"{describe(one)}\n" for one in area.operations]
    sections.append("## What answers are made of\n")
    sections += [f"{describe_form(form)}\n" for form in tell_forms()]
    return "\n".join(sections)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
