from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

_Floats = NDArray[np.float32]
_Result = tuple[str, tuple[object, ...], tuple[int, int] | None, str, int]

VERSION: int

def tag_table() -> dict[str, tuple[int, int]]: ...
def is_utf8(part: bytes) -> bool: ...
def find_links(
    body: bytes, most_links: int, most_tags: int, most_bytes: int
) -> tuple[list[bytes | tuple[bytes, bytes]], list[bytes], int, bool]:
    """Return links (href, or href and rel), other tags, how many more there were, and whether all was read."""

def has_many_names(source: bytes, most: int) -> bool:
    """Say whether what looks like tags has attributes of more than so many different names."""

def list_blocks(
    root: LexborNode,
    kinds: dict[str, int],
    is_hidden: Callable[[dict[str, str | None]], bool],
    emptied: frozenset[int] = ...,
) -> tuple[list[Any], ...]:
    """Return the columns of `Blocks` in the order of its fields."""

def list_elements(
    root: LexborNode, kinds: dict[str, int], is_hidden: Callable[[dict[str, str | None]], bool]
) -> tuple[Any, ...]:
    """Return the columns of `Elements` in the order of its fields."""

def is_orderly(
    source: bytes,
    depth: int,
    formatting: int,
    attributes: int,
    tag_bytes: int,
    tags: int,
    names: int,
    attribute_names: int,
) -> bool:
    """Say whether a page opens and closes its elements in turn, within these bounds."""

def predict_forest(
    roots: NDArray[Any],
    first: NDArray[Any],
    feature: NDArray[Any],
    threshold: NDArray[Any],
    value: NDArray[Any],
    rows: NDArray[Any],
    width: int,
) -> bytearray:
    """Return the mean over the trees for each row as float64. Raises ValueError for arrays that do not fit."""

def make_plan(fields: tuple[object, ...], utf8: bool) -> Any: ...
def cut_field(plan: Any, body: bytes, index: int, thorough: bool) -> _Result: ...
def cut_fields(plan: Any, body: bytes, thorough: bool) -> tuple[_Result, ...]: ...
def second_searches(plan: Any) -> int: ...
def read_run(part: bytes, in_attribute: bool) -> str | None: ...
def read_element(element: bytes) -> str | None: ...
def plan_flow(drops: Sequence[bytes]) -> Any: ...
def read_flow(page: bytes, start: int, end: int, plan: Any) -> str | None: ...
def doubt_of_flow(page: bytes, start: int, end: int, plan: Any) -> str: ...

class Scorer:
    """Scores blocks with one network. Raises ValueError for weights or columns that do not fit together."""

    def __new__(
        cls,
        vocabulary: tuple[dict[str, int], dict[str, int]],
        comments: dict[str, int],
        page_tags: frozenset[str],
        kinds: NDArray[np.uint8],
        word_chars: bytes,
        tables: tuple[_Floats, _Floats, _Floats],
        numbers: tuple[_Floats, _Floats],
        first: tuple[_Floats, _Floats],
        rounds: tuple[tuple[int, _Floats, _Floats, _Floats, _Floats, _Floats], ...],
        last: tuple[_Floats, float],
    ) -> Scorer: ...
    def score(
        self,
        columns: tuple[list[int] | list[str] | list[bool], ...],
        title: str,
        description: str,
        page_rows: list[int],
    ) -> tuple[bytearray, bytearray, bytearray]: ...
