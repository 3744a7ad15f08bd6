"""Judge images by the names they share with the article (paper 001, section 4.1.2).

An image inside the main block is relevant; others are if the names around them resemble those of the text. Names are
found without a model: runs of capitalised words, judged by the text's own use of capitals, and repeated terms in
scripts without capitals.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scythe.model import RELEVANT, Image
from scythe.package_files import packaged_words
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.page.content import content_box, is_icon
from scythe.reading.images.image_methods import mark_relevant, mark_scores

_LANGUAGE = 2  # letters of the label of a line


@lru_cache(maxsize=16)
def function_words(kind: str = "") -> frozenset[str]:
    """Return the words that no name begins with, of all languages, or those of another line of the table."""
    table = packaged_words("scythe.reading.papers", "tables/function_words.txt")
    wanted = (words for label, words in table.items() if label == kind or (not kind and len(label) == _LANGUAGE))
    return frozenset(word for words in wanted for word in words)


_TIMES = 2  # a term that a text has once says little about it
_MOST_TERMS = 400  # of one text, the commonest
# Arabic to Georgian without case, the scripts of South Asia; Hangul. Vowel signs are no letters to `\w`.
_SPACED = re.compile(
    r"[\u0590-\u05ff\u0620-\u065f\u066e-\u06d3\u06d5-\u06ff\u0750-\u0963\u0966-\u0dff\uac00-\ud7a3]{2,40}"
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc][\u30a1-\u30fa\u30fc・]{1,39}")
_HAN_RUN = re.compile(r"[\u3005\u3400-\u4dbf\u4e00-\u9fff]{2,200}")
_THAI_RUN = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]{4,400}")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_HAN_WORD = 2  # characters of a Chinese piece; most words have two
_THAI_PIECE = 5
_JAPANESE_WORD = 8  # kanji of one word at most
_ARTICLES = (
    "\u0648\u0627\u0644",
    "\u0628\u0627\u0644",
    "\u0641\u0627\u0644",
    "\u0643\u0627\u0644",
    "\u0644\u0644",
    "\u0627\u0644",
)
_PARTICLES = tuple("에서는 에게서 으로는 에서 에게 으로 까지 부터 은 는 이 가 을 를 의 에 와 과 로 도 만".split())
_SHORTEST = 3  # letters of a word between spaces; shorter ones are particles


def repeated_terms(text: str) -> frozenset[str]:
    """Return what a text has at least twice, at most so many."""
    counts = Counter(_pieces(text)).most_common(_MOST_TERMS)
    return frozenset(term for term, count in counts if count >= _TIMES) - function_words()


def terms_in(text: str, known: frozenset[str]) -> list[str]:
    """Return the known terms in a text as often as they occur, and every word in katakana: those are names or loans."""
    if text.isascii():
        return []
    return [term for term in _pieces(text) if term in known or _KATAKANA.fullmatch(term)]


def _pieces(text: str) -> Iterator[str]:
    if text.isascii():
        return
    for match in _SPACED.finditer(text):
        word = _stem(match[0]) if match[0] not in function_words() else ""
        if len(word) >= _SHORTEST or (len(word) == 2 and word[0] >= "\uac00"):
            yield word
    yield from (match[0] for match in _KATAKANA.finditer(text))
    is_japanese = _KANA.search(text) is not None
    for match in _HAN_RUN.finditer(text):
        run = match[0]
        if is_japanese and len(run) <= _JAPANESE_WORD:
            yield run
        else:
            yield from _cut(run, _HAN_WORD)
    for match in _THAI_RUN.finditer(text):
        yield from _cut(match[0], _THAI_PIECE)


def _cut(run: str, size: int) -> Iterator[str]:
    return (run[at : at + size] for at in range(len(run) - size + 1))


def _stem(word: str) -> str:
    """Drop the article before an Arabic word and the particle behind a Korean one."""
    if word[0] < "\u0700":
        article = next((part for part in _ARTICLES if word.startswith(part)), "")
        return word[len(article) :] if len(word) > len(article) + 2 else word
    if word[0] >= "\uac00":
        particle = next((part for part in _PARTICLES if word.endswith(part)), "")
        return word[: len(word) - len(particle)] if len(word) > len(particle) + 1 else word
    return word


_READ_CHARS = 200_000  # of a text; longer ones repeat the names they have
_MOST_WORDS = 6  # of one name
_NOUN_TIMES = 2  # that a word stands without an article before it is taken for a name in such a language
_NOUN_SHARE = 0.23  # of the words inside of sentences: German 30 %, other languages 5 to 15 %
_NOUN_KINDS = 0.15  # of the capitalised words have an article before them, in German 40 %
_HEADLINE_SHARE = 0.7  # of the words of a line: more capitals are a style, not names
_HEADLINE_WORDS = (4, 20)
_WORD = re.compile(r"[^\W\d_]{1,60}(?:['’ʼ\-‐‑][^\W\d_]{1,60}){0,8}|\d{1,20}|[.!?…:;|•·\n]|[^\s\w]")
_STOPS = frozenset(".!?…:;|•·\n")
_QUOTES = frozenset("\"'“”„«»‘’‹›(")  # a sentence may begin behind them
_APOSTROPHE = re.compile("['’ʼ]")


@dataclass(frozen=True, slots=True)
class DocumentHabits:
    """How a text writes, which short texts about the same thing are read by: words in lower case, one form each."""

    names: frozenset[str] = frozenset()  # words that are part of names
    common: frozenset[str] = frozenset()  # words that are none, capitalised or not
    capital_nouns: bool = False
    terms: frozenset[str] = frozenset()  # what the text repeats in scripts without capitals


@dataclass(slots=True)
class _Word:
    text: str
    starts: bool  # a sentence
    joined: bool  # nothing but space between it and the word before
    before: str  # the word before in its sentence, in lower case
    plain: bool = True  # stands in a line where a capital means something


def learn_habits(text: str) -> DocumentHabits:
    """Learn from a whole text which of its capitalised words are names."""
    words = [word for word in _words(text[:_READ_CHARS]) if word.plain]
    inside = [word for word in words if not word.starts]
    capitals = Counter(word.text.lower() for word in inside if word.text[0].isupper())
    smalls = Counter(word.text.lower() for word in words if word.text[0].islower())
    common = {word for word, count in smalls.items() if count >= capitals[word]}
    nouns = _nouns(inside)
    capital_nouns = len(nouns) > _NOUN_KINDS * len(capitals) and capitals.total() > _NOUN_SHARE * (
        capitals.total() + smalls.total()
    )
    if capital_nouns:
        common |= nouns
        again = Counter(word.text.lower() for word in words if word.text[0].isupper())
        capitals = Counter({word: count for word, count in capitals.items() if again[word] >= _NOUN_TIMES})
    names = frozenset(word for word in capitals if len(word) > 1) - common - function_words()
    return DocumentHabits(names, frozenset(common), capital_nouns, repeated_terms(text[:_READ_CHARS]))


def find_entities(text: str, habits: DocumentHabits | None = None) -> list[str]:
    """Return the names in a text, repeated as often as they occur. `habits` are those of the text it belongs to."""
    text = text[:_READ_CHARS]
    habits = habits or learn_habits(text)
    found: list[str] = []
    run: list[_Word] = []
    for word in _words(text):
        if run and not word.joined:
            _close(run, habits, found)
        if word.text[0].isupper() or (run and _joins(run[-1], word, habits)):
            run.append(word)
        elif run:
            _close(run, habits, found)
    _close(run, habits, found)
    return found + terms_in(text, habits.terms)


def _joins(last: _Word, word: _Word, habits: DocumentHabits) -> bool:
    lower = word.text.lower()
    if not last.text[0].isupper():
        return lower in function_words("linked")
    return lower in function_words("particles" if habits.capital_nouns else "joiners")


def _close(run: list[_Word], habits: DocumentHabits, found: list[str]) -> None:
    """Move a run of words to the names found, without what is none at its ends."""
    words = run[:_MOST_WORDS]
    run.clear()
    if words and not words[0].plain:
        words = [word for word in words if word.text.lower() in habits.names]
    while words and not words[-1].text[0].isupper():
        words.pop()
    while words and not _may_begin(words, habits):
        words.pop(0)
        while words and not words[0].text[0].isupper():
            words.pop(0)
    if words and (len(words) > 1 or _is_name(words[0], habits)):
        found.append(" ".join(word.text for word in words))


def _may_begin(words: list[_Word], habits: DocumentHabits) -> bool:
    first = words[0]
    lower = first.text.lower()
    if lower in habits.names or _is_acronym(first):
        return True
    is_common = lower in function_words() or lower in habits.common
    if is_common and (first.starts or not first.plain or habits.capital_nouns):
        return False  # inside of a sentence it belongs to the name: New York, South Africa
    return len(words) > 1 or _is_name(first, habits)


def _is_name(word: _Word, habits: DocumentHabits) -> bool:
    """Say whether a capitalised word is a name by itself."""
    lower = word.text.lower()
    if lower in habits.names or _is_acronym(word):
        return True
    if lower in habits.common or lower in function_words() or len(lower) == 1:
        return False
    return word.plain and not word.starts and not habits.capital_nouns


def _is_acronym(word: _Word) -> bool:
    return word.plain and word.text.isupper() and len(word.text) > 1


def _nouns(inside: Iterable[_Word]) -> set[str]:
    """Return the capitalised words that an article or the like stands before, or that end like nouns."""
    determiners, suffixes = function_words("determiners"), tuple(function_words("suffixes"))
    capitals = [word for word in inside if word.text[0].isupper() and not word.text.isupper()]
    held = {word.text.lower() for word in capitals if word.before in determiners}
    return held | {word.text.lower() for word in capitals if held and word.text.endswith(suffixes)}


def _words(text: str) -> list[_Word]:
    """Split a text into words that have case, with where they stand."""
    words: list[_Word] = []
    line: list[_Word] = []
    starts, joined, before = True, False, ""
    for match in _WORD.finditer(text):
        piece: str = match[0]
        if piece in _STOPS:
            if piece != "." or not _is_abbreviation(before):
                starts, before = True, ""
            joined = piece == "." and not starts
            if piece == "\n":
                _judge_line(line)
                line = []
        elif not piece[0].isalpha():
            joined = False
            starts = starts and piece in _QUOTES
        else:
            cut = _bare(piece)
            if cut and (cut[0].isupper() or cut[0].islower()):
                word = _Word(cut, starts, joined, before)
                line.append(word)
                words.append(word)
                starts, joined, before = False, piece.endswith(cut), cut.lower()
            else:
                starts, joined = False, False
    _judge_line(line)
    return words


def _judge_line(line: list[_Word]) -> None:
    """Mark the words of a headline, where capitals are a style."""
    capitals = sum(word.text[0].isupper() for word in line)
    least, most = _HEADLINE_WORDS
    if least <= len(line) <= most and capitals > _HEADLINE_SHARE * len(line):
        for word in line:
            word.plain = False


@lru_cache(maxsize=2_048)
def _bare(piece: str) -> str:
    """Drop what an apostrophe ties to a name: `l'Iran`, `Ankara'da`, `Merkel's`; `O'Brien` is whole."""
    parts = _APOSTROPHE.split(piece)
    if len(parts) == 1:
        return piece
    if len(parts[0]) == 1 and parts[0].isupper() and parts[1][:1].isupper() and len(parts[1]) > 2:
        return piece
    return next((part for part in parts if part[:1].isupper() and len(part) > 1), parts[0])


def _is_abbreviation(word: str) -> bool:
    return len(word) == 1 or word in function_words("abbreviations")


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


def count_names(text: str, habits: DocumentHabits) -> Counter[str]:
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


SIMILAR = 0.15  # the paper names no threshold; .1 to .2 do alike, docs/why/papers.md


def mark_by_entities(page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
    """Return every image of the page in page order, with `score` and `relevant` set."""
    marked = mark_relevant(page, kept)
    if not kept or not marked:
        return marked
    blocks = page.blocks
    inside = _images_inside(blocks, main_block(blocks, kept))
    rows = [row for row, use in enumerate(page.images) if use.node_id in inside and not is_icon(use.image)]
    texts = nearby_texts(page)
    article = "\n".join(blocks.text[i] for i in kept)
    likeness = dict(zip(rows, entity_similarity(article, [texts[row] for row in rows]), strict=True))
    return mark_scores(page, [max(image.score, _score(likeness.get(row, 0.0))) for row, image in enumerate(marked)])


def main_block(blocks: Blocks, kept: tuple[int, ...]) -> int:
    """Return the innermost box that holds the kept blocks and a first-level heading; without one, only the blocks."""
    content = box = content_box(blocks, kept)
    headings = blocks.directly_in("h1")
    while box > 0:
        first = bisect_left(headings, blocks.box_start[box])
        if first < len(headings) and headings[first] < blocks.box_end[box]:
            return box
        box = blocks.box_parent[box]
    return box if headings else content


def _images_inside(blocks: Blocks, box: int) -> set[int]:
    inside = [False] * len(blocks.box_parent)  # parents come before children
    for row, parent in enumerate(blocks.box_parent):
        inside[row] = row == box or (parent >= 0 and inside[parent])
    return {node.mem_id for node, own in zip(blocks.image_node, blocks.image_box, strict=True) if inside[own]}


def _score(likeness: float) -> float:
    """Map a similarity to a score that is one half at the threshold."""
    if likeness < SIMILAR:
        return RELEVANT * likeness / SIMILAR
    return RELEVANT + (1 - RELEVANT) * (likeness - SIMILAR) / (1 - SIMILAR)
