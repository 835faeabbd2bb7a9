"""HorizontalPodAutoscalers: change the numbers of replicas of workloads, depending on metrics."""
