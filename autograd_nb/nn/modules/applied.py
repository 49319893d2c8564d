"""Modules that apply one function of nn.functional with settings of their own: what layers without parameters are.

Such a module is made by :func:`applied` from the function and a lambda with the signature that its ``__init__`` has.
The lambda gives the settings by name, most often as ``locals()``; Python itself says what is wrong with a call.
"""

from .module import Module


class Applied(Module):
    """Calls its function with the settings it was made with, and shows them."""

    function = text = None
    names = ()  # of the settings that the function takes

    def __init__(self, *args, **kwargs):
        super().__init__()
        values = self.settings(*args, **kwargs)
        values.pop("self", None)
        self.__dict__.update(values)

    def forward(self, *inputs):
        own = self.__dict__
        return self.function(*inputs, **{name: own[name] for name in self.names})

    def extra_repr(self):
        text = self.text
        return text() if callable(text) else text.format(**self.__dict__)


def applied(module, name, function, doc, settings=lambda self: locals(), text="", *, without=(), more=(), base=Applied):
    """The module *name*, at home in the file *module*, that calls *function* with its settings.

    *text* is shown of it: the settings' names in braces, or a function of the module.  The function takes the settings,
    but not those *without*, and the attributes *more*, ``training`` for one.
    """
    code = settings.__code__
    taken = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    settings.__qualname__ = f"{name}.__init__"
    names = (*(each for each in taken if each not in without), *more)
    return type(name, (base,), {"function": staticmethod(function), "settings": settings, "names": names, "text": text,
                                "__doc__": doc, "__module__": module})  # fmt: skip
