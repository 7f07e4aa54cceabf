"""What each command computes, how it is shown, and its arguments: one folder per tool."""
