"""Playing games and writing them down: specs, shards, processes, progress, and checking what was written.

Other modules import from the modules of this package; `patchstats.simulate` is the door for users.
"""
