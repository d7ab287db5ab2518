"""`python -m advisor` is `ncu-advisor`."""

from advisor.cli.main import main

if __name__ == "__main__":
    main()
