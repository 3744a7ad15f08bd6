"""Benchmarks: page sets with ground truth come in, tables of scores go out."""
