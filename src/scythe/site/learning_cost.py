"""Count what learning a site has cost and saved."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from operator import add


@dataclass(slots=True)
class LearningCost:
    """Pages that were read and cut, and the seconds of CPU that these and learning took. What is worked out only when
    someone asks for it, as images are, is not in them."""

    read: int = 0  # pages
    cut: int = 0
    read_s: float = 0.0
    cut_s: float = 0.0
    learn_s: float = 0.0

    def __add__(self, other: LearningCost) -> LearningCost:
        return LearningCost(*map(add, astuple(self), astuple(other)))

    @property
    def seconds(self) -> float:
        """All that was spent."""
        return self.read_s + self.cut_s + self.learn_s

    @property
    def reading_all_s(self) -> float | None:
        """What reading all of the pages would have taken, by the mean of those that were read; None: none was."""
        return self.read_s / self.read * (self.read + self.cut) if self.read else None

    def tell(self) -> str:
        """Say it in a line."""
        spent = f"{self.read} pages read in {self.read_s:.2f} s of CPU, {self.cut} cut in {self.cut_s:.2f} s"
        line = f"{spent}, rules learned in {self.learn_s:.2f} s"
        all_s = self.reading_all_s
        return line if all_s is None else f"{line}; reading all would have taken {all_s:.2f} s"
