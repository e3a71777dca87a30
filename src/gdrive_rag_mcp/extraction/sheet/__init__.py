"""Workbooks, row by row."""
