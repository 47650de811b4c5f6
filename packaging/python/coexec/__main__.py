# SPDX-License-Identifier: MIT
from coexec import main

main()
