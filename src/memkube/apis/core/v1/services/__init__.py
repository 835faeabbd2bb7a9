"""Services: stable names and addresses for sets of pods."""
