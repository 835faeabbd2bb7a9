"""APIServices: who serves a group and version."""
