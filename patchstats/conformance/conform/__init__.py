"""Somebody else's engine, driven over the protocol and compared with the reference engine.

Read it in this order: `connection.py` (the process), `abilities.py` (what it can do), `scripts.py` (what is played),
`walk.py` and `judging.py` (a script played, and the first difference), `facts.py` and `attribution.py` (which clause
that belongs to), `counts.py` (perft), `drawn.py` (games that Hypothesis draws), `check.py` (all of it), `report.py` and
`junit.py` (what is told).
"""
