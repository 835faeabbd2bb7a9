"""Webhooks that change and refuse writes (apiserver ``pkg/admission/plugin/webhook``).

Nothing but ``plugin`` is imported while no configuration is stored.
"""
