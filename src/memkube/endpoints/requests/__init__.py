"""Parsing of requests: path, query, media types and body.

Modules of this package must not read objects and must not write responses.
"""
