"""Figures: plain functions that return matplotlib figures, in one style, with titles that say what was found."""
