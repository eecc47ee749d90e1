"""Pictures of a `course.record.Record`: an SVG graph, a timeline, a text, and plots.

Each stage is a function from plain data to plain data, and knows nothing of torch or Jupyter:

    record --board--> cards and links --arrange--> places --render--> SVG
    record --narrate--> text

`picture.py` puts the stages together and never lets a failed drawing break the reader's cell.
"""
