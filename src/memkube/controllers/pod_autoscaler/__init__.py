"""Scales workloads as HorizontalPodAutoscalers ask for (``pkg/controller/podautoscaler``)."""
