"""Networks of layers: modules, their parameters, the functions they apply, first values and tools.

Each part loads when one of its names is first used.
"""

from . import modules
from .later import later

CONTENTS = {"functional": "", "init": "", "modules": " ".join(modules.__all__), "parameter": "Buffer Parameter",
            "utils": ""}  # fmt: skip

__getattr__, __dir__, __all__ = later("torch.nn", globals(), CONTENTS)
__all__ += list(CONTENTS)
