"""The program `recollect`, which is `python -m recollect` too.

The rule: it is small, so that Ctrl-C is one line from the first moment, while all else loads.
"""

import sys

STOPPED = 130

try:
    from recollect.servers.cli import main as run
except KeyboardInterrupt:
    sys.stderr.write("stopped\n")
    sys.exit(STOPPED)


def main() -> None:
    """Run the command line."""
    try:
        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
