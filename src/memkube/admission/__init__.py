"""Plugins that change or refuse writes. They know kinds, but neither HTTP nor storage."""
