"""ControllerRevisions: what controllers write down of a state, to go back to it."""
