"""``python -m kernel_lab``: see `kernel_lab.cli`."""

import sys

from kernel_lab.cli import main

sys.exit(main())
