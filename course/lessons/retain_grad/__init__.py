"""Lesson 2: retain_grad, retain_graph, and what they cost."""

from course.check import Desk

_desk = Desk("retain_grad")
check, hint, solution, reset = _desk.check, _desk.hint, _desk.solution, _desk.reset
grade_me = _desk.grade_me
