"""ServiceAccounts: identities of programs."""
