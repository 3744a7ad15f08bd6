"""`python -m scythe` is the `scythe` command."""

from scythe.cli.main import run

if __name__ == "__main__":
    run()
