"""Names that load when somebody first asks for them: each stands in a module of the package, which says where."""

from importlib import import_module

from ..torch_api.absent import missing


def later(namespace, names, contents):
    """``__getattr__``, ``__dir__`` and the names for the package, or module, whose dict is *names*.

    *contents* gives for each module beside it the names that are taken from there; the module itself is a name too, if
    it is in the package.  *namespace* is PyTorch's name for it, for what is missing.
    """
    package = names["__package__"]
    homes = {name: home for home, listed in contents.items() for name in listed.split()}

    def __getattr__(name):
        if name in homes:
            found = getattr(import_module(f"{package}.{homes[name]}"), name)
        elif name in contents and "__path__" in names:
            found = import_module(f"{package}.{name}")
        else:
            raise missing(namespace, name, f"module '{namespace}' has no attribute '{name}'")
        names[name] = found
        return found

    def __dir__():
        return sorted({*names, *homes, *(contents if "__path__" in names else ())})

    return __getattr__, __dir__, sorted(homes)
