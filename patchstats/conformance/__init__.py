"""Whether an engine plays by the rules: counts and cases that a right engine must reproduce."""
