"""What rules a node out for a pod, one rule a file (``pkg/scheduler/framework/plugins``)."""
