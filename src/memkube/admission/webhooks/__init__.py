"""Calls the mutating and validating admission webhooks that match a request, and applies their patches and refusals.

Source: apiserver ``pkg/admission/plugin/webhook``.
"""
