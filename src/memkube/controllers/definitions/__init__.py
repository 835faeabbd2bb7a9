"""Serves the custom kinds that CustomResourceDefinitions declare, and maintains the definitions' status.

This package is part of the API server, so it runs even if the user selects no controllers. Source: apiextensions
``pkg/controller`` and ``pkg/apiserver``.
"""
