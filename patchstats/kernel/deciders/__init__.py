"""The agents as compiled routines: what a decider is in `deciding.py`, and a module for each kind of agent.

Nothing is imported here, so that only those who play are compiled.
"""
