"""The language server: what an editor asks about a contract, and the protocol it asks in."""
