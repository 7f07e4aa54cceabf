"""Help for authors of contracts: drafts, trials, a workbench, an editor's language server, exports."""
