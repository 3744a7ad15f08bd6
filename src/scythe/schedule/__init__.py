"""Plan when to visit a list again: estimators, policies, a simulator and plots."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scythe.schedule.auto import Auto

__all__ = ["Auto"]


def __getattr__(name: str) -> object:
    """Import `Auto`, the default estimator, when it is first asked for."""
    if name != "Auto":
        raise AttributeError(f"module 'scythe.schedule' has no attribute {name!r}")
    from scythe.schedule.auto import Auto

    return Auto
