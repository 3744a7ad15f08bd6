"""`python -m bench confidence`: how far `doc.confidence` may be trusted, as text and as a reliability diagram."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def confidence(
    data: Annotated[Path, typer.Option(help="A page set (.jsonl.xz, .jsonl.gz, .jsonl) or a folder of them.")],
    folds: Annotated[Path, typer.Option(metavar="DIR", help="Models that have not seen the sites: train/folds.")],
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the reliability diagram here.")] = None,
) -> None:
    """Compare what was expected of texts with what they are, on pages of sites that no model has seen."""
    from bench.confidence import Trust, draw_reliability, judge_pages, report
    from bench.folds import load_folds
    from scythe.reading.text.confidence import expect, from_saved

    models = [from_saved(saved) for saved in json.loads((folds / "confidence.json").read_text("utf-8"))]
    pages = [
        Trust(page.page_set, expect(models[page.fold], page.facts), page.f1)
        for page in judge_pages(data, load_folds(folds))
    ]
    typer.echo(report(pages))
    if plot is not None:
        plot.write_text(draw_reliability(pages), "utf-8")
