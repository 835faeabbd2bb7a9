"""Runs the pods of Jobs until enough of them have succeeded, and counts each of them once (KEP-2307)."""
