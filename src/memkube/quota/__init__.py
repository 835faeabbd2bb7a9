"""Quota usage: the resources that objects of a namespace use, for the admission plugin and the quota controller.

This package must not write objects. Sources: apiserver ``quota/v1``; ``pkg/quota/v1/evaluator/core``.
"""
