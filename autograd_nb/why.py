"""`python -m autograd_nb.why train.py …` runs a script and says what is the matter with its gradients."""

import sys
from types import ModuleType

from autograd_nb.microscope.script import main
from autograd_nb.microscope.why import why


class Asked(ModuleType):
    """Who imports this module by its path finds it where the function was, and may call it so."""

    __call__ = staticmethod(why)


sys.modules[__name__].__class__ = Asked
if __name__ == "__main__":
    sys.exit(main())
