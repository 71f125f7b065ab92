"""What a run is on disk: the schema, the files, the manifest, and reading them back as frames.

Other modules import from the modules of this package; `patchstats.open_run` is the door for users.
"""
