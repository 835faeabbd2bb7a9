"""Webhook configurations: admission webhooks and the requests they are called for."""
