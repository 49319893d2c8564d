"""`python -m autograd_nb.why train.py …` runs a script and says what is the matter with its gradients."""

import sys

from autograd_nb.microscope.script import main
from autograd_nb.microscope.why import why

if __name__ == "__main__":
    sys.exit(main())
sys.modules[__name__] = why  # who imports it by this name wants the function
