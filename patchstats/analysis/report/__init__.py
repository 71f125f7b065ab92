"""What a run tells a designer, as numbers and as one page: `collect` gathers what is said, `page` writes it as HTML."""

from patchstats.analysis.report.numbers import Report, collect
from patchstats.analysis.report.page import page

__all__ = ["Report", "collect", "page"]
