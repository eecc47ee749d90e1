"""How far a learner is: which exercises are passed, and the map of the course that shows it.

record.py     the file beside the notebooks
places.py     lessons and exercises, with their addresses
overview.py   both together: what is passed, what is next
page.py       the map as HTML and as text
live.py       what a learner calls: course_map and reset_progress
"""
