"""``python -m voltac``: the command line."""

import sys

from voltac.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
