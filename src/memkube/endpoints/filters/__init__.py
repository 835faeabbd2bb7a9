"""ASGI filters around every endpoint: users, limits, faults, logging and metrics.

Modules of this package must not depend on which endpoint serves the request. This package and ``handlers`` import each
other: :mod:`http_faults` calls endpoints of ``handlers``, and a watch in ``handlers`` frees its seat in :mod:`seats`.
"""
