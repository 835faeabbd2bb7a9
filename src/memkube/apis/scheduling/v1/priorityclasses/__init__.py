"""PriorityClasses: named priorities for pods."""
