"""Fuzzing: bytes that nobody would send go into every part that reads what others wrote.

`python -m tests.fuzz --help` runs it; docs/why/testing.md says what is looked for.
"""
