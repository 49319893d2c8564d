"""The folder where a kernel began, beside its notebook: the progress stays there when `%cd` moves the kernel."""

import os

try:
    FOLDER = os.getcwd()
except OSError:
    FOLDER = ""  # the folder is gone
