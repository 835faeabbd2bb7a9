"""APIServices: the server (this one or an aggregated one) that serves a group and version."""
