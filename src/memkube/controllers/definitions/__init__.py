"""Custom kinds: what the reference's API server does with definitions itself, whichever controllers run.

Source: apiextensions ``pkg/controller`` and ``pkg/apiserver``.
"""
