"""Lesson 1: leaf and non-leaf tensors."""

from course.check import Desk

_desk = Desk("leaf_tensors")
check, hint, solution, reset = _desk.check, _desk.hint, _desk.solution, _desk.reset
grade_me = _desk.grade_me
