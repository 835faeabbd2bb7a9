"""The storage engine that keeps values in a SQLite file, so that they survive the process.

Modules of this package know nothing about the values.
"""
