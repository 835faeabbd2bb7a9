"""Programs that try to make a server lose something: `make soak` runs them at length, `make test` shortly."""
