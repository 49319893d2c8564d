"""For a kernel of the course: IPython runs it because of PYTHONSTARTUP, or out of a folder `startup` of its own."""

import contextlib
import os

if os.environ.get("AUTOGRAD_NB_STARTUP"):  # the learner's own, which the launcher replaced by this one
    with open(os.environ["AUTOGRAD_NB_STARTUP"], encoding="utf-8") as own:
        exec(own.read())
    del own
if "get_ipython" in globals():
    with contextlib.suppress(ImportError):  # in a kernel of another Python
        from autograd_nb.course.kernel import run_first_imports

        run_first_imports(get_ipython())  # noqa: F821 - IPython's
        del run_first_imports
