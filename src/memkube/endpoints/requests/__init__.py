"""Reading a request: its address, query, media types and body.

Nothing here may look up an object or write an answer.
"""
