"""What makes one node better than another for a pod, one reason a file (``pkg/scheduler/framework/plugins``)."""
