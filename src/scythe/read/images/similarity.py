"""Compare what is written about images with an article: texts come in, one similarity (0..1) for each goes out.

Paper 001, section 4.1.2: the names in both texts are counted, and the cosine of the angle between their frequencies is
the similarity; a text with few names is compared by whether the article has them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.read.images.entities import Habits, find_entities, learn_habits

_STEM = 5  # letters that tell names apart on one page; endings change in half of Europe's languages
_FEW = 3  # different words of names; fewer span no angle
_NEARBY_CHARS = 400  # of the text next to an image
_NEARBY_BLOCKS = 4  # caption, credit, a teaser's head and lead


def entity_similarity(article: str, contexts: Sequence[str]) -> list[float]:
    """Return how much each context speaks of the names that the article speaks of; 0 where it has none of them."""
    habits = learn_habits(article)
    frequencies = count_names(article, habits)
    known: dict[str, float] = {}
    for context in contexts:
        if context not in known:
            known[context] = compare_names(frequencies, count_names(context, habits))
    return [known[context] for context in contexts]


def count_names(text: str, habits: Habits) -> Counter[str]:
    """Count the words of the names in a text, without endings: people are named in full once and then in part."""
    words: Counter[str] = Counter()
    for name in find_entities(text, habits):
        words.update(word[:_STEM].casefold() for word in name.split() if word[0].isupper() or not word[0].islower())
    return words


def compare_names(article: Counter[str], context: Counter[str]) -> float:
    """Return the cosine between two counts, or for few names the share of them that the article has."""
    if not article or not context:
        return 0.0
    if len(context) < _FEW:
        return sum(count for word, count in context.items() if word in article) / context.total()
    product = sum(count * article[word] for word, count in context.items())
    return product / math.sqrt(_square(article.values()) * _square(context.values()))


def _square(counts: Iterable[int]) -> int:
    return sum(count * count for count in counts)


def nearby_texts(page: Page) -> list[str]:
    """Return what is written about each image of a page: its alt text and caption, and the words it stands with."""
    rows = {node.mem_id: row for row, node in enumerate(page.blocks.image_node)}
    texts = []
    for use in page.images:
        row = rows.get(use.node_id)
        around = _words_around(page.blocks, row) if row is not None else ""
        caption = use.image.caption if use.image.caption not in around else ""
        texts.append("\n".join(text for text in (use.image.alt, caption, around) if text))
    return texts


def _words_around(blocks: Blocks, row: int) -> str:
    """Return the words of the innermost box with words around an image, or those next to it where the box is large."""
    box, block = blocks.image_box[row], blocks.image_block[row]
    while box > 0 and blocks.box_end[box] == blocks.box_start[box]:
        box = blocks.box_parent[box]
    start, end = blocks.box_start[box], blocks.box_end[box]
    if end - start > _NEARBY_BLOCKS:
        start, end = max(start, block - 1), min(end, block + 1)
    return "\n".join(text[:_NEARBY_CHARS] for text in blocks.text[start:end])
