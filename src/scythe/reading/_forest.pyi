from typing import Any

from numpy.typing import NDArray

def walk(
    roots: NDArray[Any],
    first: NDArray[Any],
    feature: NDArray[Any],
    threshold: NDArray[Any],
    value: NDArray[Any],
    rows: NDArray[Any],
    width: int,
) -> bytearray:
    """Return the mean over the trees for each row as float64. Raises ValueError for arrays that do not fit."""
