"""Programs that measure scythe on this machine, over minutes. `python -m bench.trials` lists them."""
