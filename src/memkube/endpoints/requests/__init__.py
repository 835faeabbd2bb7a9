"""Parsing of requests: address, query, media types and body.

Nothing here may look up an object or write a response.
"""
