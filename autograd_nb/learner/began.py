"""Where a kernel began, which is beside its notebook: `%cd` takes it elsewhere, while its progress stays."""

import os

try:
    FOLDER = os.getcwd()
except OSError:
    FOLDER = ""  # it is gone
