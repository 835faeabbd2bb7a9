"""The storage engine that keeps values in a SQLite file, so that they survive the process.

Modules of this package do not depend on the type of values.
"""
