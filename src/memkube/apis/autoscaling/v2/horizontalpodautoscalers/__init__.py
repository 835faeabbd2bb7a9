"""HorizontalPodAutoscalers: scale a workload by metrics."""
