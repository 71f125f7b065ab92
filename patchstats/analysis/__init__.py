"""What the tables of a run say: estimates with their intervals. Reads frames and never simulates."""
