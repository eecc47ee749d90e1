"""Lesson 0: start here."""
