"""Lesson 5: what the legacy and the full backward hook of a layer receive."""

from course.check import Desk

_desk = Desk("linear_quirk")
check, hint, solution, reset = _desk.check, _desk.hint, _desk.solution, _desk.reset
grade_me = _desk.grade_me
