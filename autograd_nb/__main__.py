"""`python -m autograd_nb` is `autograd-nb`: it opens the course."""

import sys

from autograd_nb.course.launcher import main

if __name__ == "__main__":
    sys.exit(main())
