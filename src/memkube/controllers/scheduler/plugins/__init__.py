"""The filter and score plugins of kube-scheduler."""
