"""Runs the pods of Jobs until enough have succeeded, and counts each pod once (KEP-2307)."""
