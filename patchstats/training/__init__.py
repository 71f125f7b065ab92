"""The learned evaluation, again from nothing: self-play, lessons, a fit, and better self-play."""

from patchstats.training.train import PLAN, Round, train

__all__ = ["PLAN", "Round", "train"]
