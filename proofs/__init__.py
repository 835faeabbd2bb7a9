"""Programs that try to make a server lose data: `make soak` runs them at length, `make test` briefly."""
