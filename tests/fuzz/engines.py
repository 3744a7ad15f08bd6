"""Engines beside our own: Hypothesis builds inputs of parts, atheris is led by the code that they reach."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.child import Trial
from tests.fuzz.mutate import Mutator

_EXAMPLES = 2_000  # of Hypothesis at a time
_ATHERIS_SEEDS = 100


def run_hypothesis(trial: Trial) -> None:
    """Try what Hypothesis makes, until the budget is spent."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from tests.fuzz.strategies import inputs

    trial.begin()
    made = inputs(trial.target)
    number = trial.work.seed
    while not trial.is_over():

        @seed(number)
        @settings(
            max_examples=max(min(_EXAMPLES, trial.work.inputs - trial.judge.inputs), 1),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(made)
        def try_some(data: bytes) -> None:
            if not trial.is_over():
                trial.try_one(data)

        try_some()
        number += 1


def run_atheris(trial: Trial) -> None:
    """Try what atheris makes; it ends the process itself."""
    import atheris

    target, work = trial.target, trial.work
    mutator = Mutator(target, work.seed)

    def try_one(data: bytes) -> None:
        trial.try_one(data)
        trial.tell(len(data))  # there is no later: the process is ended inside

    def mutate(data: bytes, most: int, number: int) -> bytes:
        mutator.random = Random(number)
        if number % 3 == 0 and mutator.shape is not None:
            return mutator.shape(mutator.random, data, mutator.seeds)[:most]
        return bytes(atheris.Mutate(data, most))

    folder = Path(tempfile.mkdtemp(prefix="scythe-fuzz-"))
    for number, data in enumerate(mutator.seeds[:_ATHERIS_SEEDS]):
        (folder / str(number)).write_bytes(data)
    for data in mutator.seeds[:_ATHERIS_SEEDS]:
        target.run(data)  # so that nothing is loaded later
    trial.begin()
    arguments = [
        f"-runs={work.inputs}",
        f"-max_total_time={max(int(min(work.seconds, 10**8)), 1)}",
        f"-seed={work.seed % 2**31 or 1}",
        f"-max_len={target.most_bytes}",
        "-timeout=0",
        "-rss_limit_mb=0",
        "-print_final_stats=0",
        "-verbosity=0",
        f"-artifact_prefix={folder}/",
        str(folder),
    ]
    atheris.Setup(["fuzz", *arguments], try_one, custom_mutator=mutate, enable_python_coverage=True)
    atheris.Fuzz()


ENGINES: dict[str, Callable[[Trial], None]] = {"hypothesis": run_hypothesis, "atheris": run_atheris}
