"""Rules broken on purpose, to see which tests notice. Works in a checkout, where sources and tests lie side by side."""
