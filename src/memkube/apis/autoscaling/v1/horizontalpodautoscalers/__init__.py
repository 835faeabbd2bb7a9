"""HorizontalPodAutoscalers in their first version."""
