"""Mark all submissions of an assignment: one pure function, many processes, one writer.

bundle.py       what marking needs of the course, as bytes
mark.py         bundle + submission -> marks, reasons, executed notebooks, log, flags
pools.py        many of these at once: processes of this machine, or a dask cluster
journal.py      what has been marked already, by the hash of what went in
writer.py       the only one who writes: gradebook and autograded/, a chunk at a time
run.py          all of it together, for cli.py
"""
