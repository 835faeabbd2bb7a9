"""ControllerRevisions: snapshots of state that a controller can roll back to."""
