"""ReplicationControllers: keep a number of pods of the same template running."""
