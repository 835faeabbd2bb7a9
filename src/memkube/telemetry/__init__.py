"""The request log, the history of objects, and the counters behind ``/metrics``.

Modules of this package only observe: they change no objects and make no decisions on requests.
"""
