"""DaemonSets: run one pod on each matching node."""
