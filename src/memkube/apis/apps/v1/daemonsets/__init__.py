"""DaemonSets: one pod on each node."""
