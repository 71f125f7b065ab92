"""What here is no test: a module that tests load with `runpy`, which leaves compiled routines of another name behind."""

collect_ignore = ["telling.py"]
