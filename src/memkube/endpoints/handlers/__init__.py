"""One file for each verb: options in, the registry asked, an answer out."""
