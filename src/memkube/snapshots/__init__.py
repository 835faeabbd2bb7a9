"""Saves the whole state of a server, and restores it. Nothing here may serve HTTP or write through the verbs."""
