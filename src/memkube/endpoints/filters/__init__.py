"""ASGI filters around every endpoint: users, limits, faults, logging and metrics.

Modules of this package must not depend on which endpoint serves the request. This package and ``handlers`` import each
other: the faults of :mod:`http_faults` wrap an endpoint of ``handlers``, and a watch of ``handlers`` gives back its
seat of :mod:`seats`.
"""
