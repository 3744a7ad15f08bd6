"""Trees that are asked for in vain, and when to stop asking."""

from __future__ import annotations

from scythe.site.drift import TreeBudget

DOUBT = ("layout-1", "author", "too few rules agree")


def ask(thrift: TreeBudget, times: int, *, found: bool = False) -> int:
    """Ask so often as is worth it, with always the same result; return how often that was."""
    asked = 0
    for _ in range(times):
        if thrift.is_worth(DOUBT):
            asked += 1
            thrift.note(DOUBT, found=found)
    return asked


def test_a_tree_that_never_has_a_field_is_asked_less_and_less() -> None:
    thrift = TreeBudget()
    assert ask(thrift, 16) == 16
    assert ask(thrift, 320) == 10


def test_a_tree_that_once_had_a_field_is_asked_ever_after() -> None:
    thrift = TreeBudget()
    thrift.note(DOUBT, found=True)
    assert ask(thrift, 500) == 500


def test_a_field_that_comes_back_is_asked_for_again() -> None:
    thrift = TreeBudget()
    ask(thrift, 100)
    thrift.note(DOUBT, found=True)
    assert ask(thrift, 100) == 100


def test_other_layouts_fields_and_reasons_are_counted_apart() -> None:
    thrift = TreeBudget()
    ask(thrift, 50)
    for doubt in (("layout-2", *DOUBT[1:]), ("layout-1", "date", DOUBT[2]), (*DOUBT[:2], "another")):
        assert thrift.is_worth(doubt)


def test_memory_is_bounded_and_beyond_it_trees_are_always_asked() -> None:
    thrift = TreeBudget()
    for number in range(3_000):
        for _ in range(16):
            thrift.note(("layout-1", "author", f"reason {number}"), found=False)
    assert not all(thrift.is_worth(("layout-1", "author", f"reason {number}")) for number in range(1_000) for _ in "ab")
    assert all(thrift.is_worth(("layout-1", "author", f"reason {number}")) for number in range(2_000, 3_000))
