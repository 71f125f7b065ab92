"""patchstats."""
