"""Lesson 3: tensor hooks."""

from course.check import Desk

_desk = Desk("tensor_hooks")
check, hint, solution, reset = _desk.check, _desk.hint, _desk.solution, _desk.reset
grade_me = _desk.grade_me
