"""PriorityClasses: names for priorities of pods."""
