"""ResourceClaims of pods, and the controller that creates them, deletes them and ends their reservations."""
