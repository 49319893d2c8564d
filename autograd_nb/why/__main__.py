"""`python -m autograd_nb.why train.py …` runs a script and says what is the matter with its gradients."""

import sys

from .script import main

sys.exit(main())
