"""ASGI filters around every endpoint: users, limits, faults, logging and metrics.

Nothing here may depend on which endpoint answers the request. Two packages import each other here: the faults of
:mod:`http_faults` wrap an endpoint of ``handlers``, and a watch of ``handlers`` gives back its seat of :mod:`seats`.
"""
