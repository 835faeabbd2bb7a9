"""HorizontalPodAutoscalers of autoscaling/v1."""
