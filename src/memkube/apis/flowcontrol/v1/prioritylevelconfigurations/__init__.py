"""PriorityLevelConfigurations: limits on concurrent requests of each priority level."""
