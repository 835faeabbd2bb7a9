"""Scales: the number of replicas of any scalable kind."""
