"""What a gradebook of nbgrader tells an instructor: ``python -m course export`` and ``report``.

Works for any course that nbgrader marks. Nothing here changes the gradebook.
"""
