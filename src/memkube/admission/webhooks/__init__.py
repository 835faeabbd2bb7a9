"""Admission webhooks (apiserver ``pkg/admission/plugin/webhook``).

Only the module ``plugin`` is imported until a configuration is stored.
"""
