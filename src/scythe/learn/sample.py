"""What a learner gets of one page: the page, its source, and what reading it gave."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from scythe.learn.stated import Stated, list_stated
from scythe.page import Page
from scythe.page.blocks import Blocks, cut_blocks
from scythe.page.source import Source, unmark

_ALIGNED = 2_000  # blocks; longer pages whose two trees differ are left out of learning


@dataclass(frozen=True)
class Sample:
    """One page of a layout with what `scythe.read` reports of it."""

    source: Source
    page: Page
    kept: tuple[int, ...]  # numbers of `page.blocks`
    title: str = ""
    author: str = ""
    published: str = ""  # ISO 8601
    images: tuple[str, ...] = ()  # addresses of the relevant ones
    sure: float = 1.0  # the F1 that reading expects of its own choice of blocks

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the source's own tree, whose boxes know their byte offsets."""
        root = self.source.tree.root
        blocks = cut_blocks(root) if root is not None else Blocks()
        blocks.text = [unmark(text) for text in blocks.text]
        return blocks

    @cached_property
    def stated(self) -> tuple[Stated, ...]:
        """The texts and attributes that may be values of a field: looked at for every field, listed once."""
        return tuple(list_stated(self.source))

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """`kept` as numbers of `blocks`; the two trees differ on pages that had to be repaired."""
        mine, theirs = self.blocks.text, self.page.blocks.text
        if mine == theirs:
            return self.kept
        if max(len(mine), len(theirs)) > _ALIGNED:
            return ()
        same = SequenceMatcher(None, theirs, mine, autojunk=False).get_matching_blocks()
        number = {a + i: b + i for a, b, size in same for i in range(size)}
        return tuple(number[i] for i in self.kept if i in number)
