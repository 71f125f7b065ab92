"""Metrics: what is told of whole games by watching them, and the strings that name them."""

from patchstats.columns import Column
from patchstats.metrics.protocol import Metric
from patchstats.metrics.registry import METRICS, NamedMetric, line_about, make_metric

__all__ = ["METRICS", "Column", "Metric", "NamedMetric", "line_about", "make_metric"]
