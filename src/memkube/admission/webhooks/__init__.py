"""Admission webhooks (apiserver ``pkg/admission/plugin/webhook``)."""
