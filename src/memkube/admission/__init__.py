"""Admission plugins, which change or refuse writes. This package knows API kinds, but neither HTTP nor storage."""
