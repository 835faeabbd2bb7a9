"""HorizontalPodAutoscalers: how many replicas metrics call for."""
