"""Lesson 6: hooks at work."""

from course.check import Desk

_desk = Desk("hooks_at_work")
check, hint, solution, reset = _desk.check, _desk.hint, _desk.solution, _desk.reset
grade_me = _desk.grade_me
