"""Programs that simulated containers play: a small shell and a few commands. No process is ever started."""
