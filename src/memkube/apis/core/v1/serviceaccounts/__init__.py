"""ServiceAccounts: identities of processes in pods."""
