"""The engine protocol, JSON lines on standard input and output, and our own engines behind it; see `docs/protocol.md`.

Who drives an engine of somebody else over it lives in `patchstats.conformance.conform`.
"""
