"""`python -m tracepact`: the command line."""

from tracepact.cli import main

if __name__ == "__main__":
    main()
