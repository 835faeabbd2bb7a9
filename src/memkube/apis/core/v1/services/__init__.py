"""Services: names and addresses for sets of pods."""
