# SPDX-License-Identifier: MIT
"""coexec, an OpenCL driver that runs each kernel on all devices: the program `coexec`, from Python's packages.

The driver, its analyser, the tool and the examples stand in the folder `prefix` of this package, as an installation has
them. `coexec run -- python app.py` runs a program through it."""
import os
import sys

PREFIX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prefix")


def main():
    """Becomes the program `coexec`."""
    program = os.path.join(PREFIX, "bin", "coexec")
    try:
        os.execv(program, ["coexec"] + sys.argv[1:])
    except OSError as error:
        sys.exit(f"coexec: {program} cannot be run: {error.strerror}")
