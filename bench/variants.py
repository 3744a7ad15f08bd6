"""Other readings of the published methods, so that every choice between them can be measured again.

Run one by its place: `python -m bench text --data DIR --method bench.variants:vsse_printed`.
"""

from __future__ import annotations

from scythe.reading.papers.cetr import Cetr
from scythe.reading.papers.sentences import Sentences
from scythe.reading.papers.vsse import Vsse

__all__ = [
    "cetr_sigma_2",
    "cetr_two_clusters",
    "sentences_dots_only",
    "sentences_printed",
    "vsse_printed",
    "vsse_share_60",
    "vsse_without_semantics",
]

sentences_dots_only = Sentences(full_stops="")
sentences_printed = Sentences(full_stops="", printed=True)
cetr_sigma_2 = Cetr(sigma=2.0)
cetr_two_clusters = Cetr(clusters=2)
vsse_printed = Vsse(judge_all=True)
vsse_share_60 = Vsse(min_share=0.6)
vsse_without_semantics = Vsse(max_distance=64)
