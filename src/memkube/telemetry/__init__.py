"""The request log, the history of objects, and the counters behind ``/metrics``.

Everything here observes. Nothing here may change an object or decide on a request.
"""
