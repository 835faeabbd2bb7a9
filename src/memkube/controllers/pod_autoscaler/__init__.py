"""Scales workloads as HorizontalPodAutoscalers request (``pkg/controller/podautoscaler``)."""
