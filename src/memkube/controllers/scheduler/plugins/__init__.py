"""kube-scheduler's filter and score plugins. A module has the plugins of one name, or of related names."""
