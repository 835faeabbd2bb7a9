"""PriorityLevelConfigurations: how many requests are served at once."""
