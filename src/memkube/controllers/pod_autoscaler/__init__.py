"""The controller of HorizontalPodAutoscalers (``pkg/controller/podautoscaler``)."""
