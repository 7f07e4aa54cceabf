"""The workbench in the browser: a contract, a scene that is drawn, and their verdicts at once (chapter 23)."""
