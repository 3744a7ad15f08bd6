"""Run the `scythe` command with `python -m scythe`."""

from scythe.cli.main import run

if __name__ == "__main__":
    run()
