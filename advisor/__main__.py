"""Entry point: `python -m advisor` runs `ncu-advisor`."""

from advisor.cli.main import main

if __name__ == "__main__":
    main()
