"""Jobs: pods that are to come to an end."""
