"""``python -m voltac``: the command line."""

from voltac.cli.main import entry

if __name__ == "__main__":
    entry()
