"""A module that tests load with `runpy`, which leaves compiled routines of another name behind, is no test."""

collect_ignore = ["telling.py"]
