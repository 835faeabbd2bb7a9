"""Keeps the Endpoints of Services that have a selector, and knows which pods a Service selects."""
