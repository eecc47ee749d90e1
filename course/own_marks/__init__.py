"""A learner's own marks: nbgrader's marking of the saved notebook, at the press of a button.

marking.py    a notebook's bytes -> its marks, in a course of their own
page.py       the marks as HTML and as text
feedback.py   the same at the top of nbgrader's feedback page
cli.py        python -m course grade-me
process.py    the same beside a kernel: steps, a time limit, an end
live.py       grade_me() and its button
"""
