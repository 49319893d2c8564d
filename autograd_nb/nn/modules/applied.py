"""Modules that apply one function of nn.functional with settings of their own: what layers without parameters are.

Such a module is made by :func:`applied` from the function and a lambda with the signature that its ``__init__`` has.
The lambda gives the settings by name, most often as ``locals()``; Python itself says what is wrong with a call.
"""

from types import FunctionType

from .module import Module


class Signature:
    """What help() and inspect show of ``__init__``: the settings, unless a subclass has an ``__init__`` of its own."""

    def __get__(self, instance, owner):
        from inspect import signature

        for each in owner.__mro__ if instance is None else ():
            if "settings" in vars(each):
                own = signature(each.settings)
                shown = [it for name, it in own.parameters.items() if name != "self" and name[0] != "_"]
                if shown:
                    return own.replace(parameters=shown)
            if "settings" in vars(each) or "__init__" in vars(each):
                break
        raise AttributeError("__signature__")


class Applied(Module):
    """Calls its function with the settings it was made with, and shows them."""

    __signature__ = Signature()
    function = text = None
    names, count = (), 1  # of the settings that the function takes, and how many inputs

    def __init__(self, *args, **kwargs):
        super().__init__()
        values = self.settings(*args, **kwargs)
        values.pop("self", None)
        self.__dict__.update(values)

    def forward(self, *inputs, **named):
        if named or len(inputs) != self.count:
            inputs = self.inputs(*inputs, **named)
        return self.function(*inputs, **{name: getattr(self, name) for name in self.names})

    def extra_repr(self):
        text = self.text
        return text() if callable(text) else text.format(**self.__dict__)


def applied(module, name, function, doc, settings=lambda self: locals(), text="", *,
            inputs=lambda self, input: (input,), without=(), more=(), base=Applied):  # fmt: skip
    """The module *name*, at home in the file *module*, that calls *function* with its settings.

    *text* is shown of it: the settings' names in braces, or a function of the module.  *inputs* is a lambda with the
    signature that ``forward`` has.  The function takes the settings, but not those *without*, and the attributes
    *more*, ``training`` for one.
    """
    settings, inputs = renamed(settings, f"{name}.__init__"), renamed(inputs, f"{name}.forward")
    code = settings.__code__
    taken = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    names = (*(each for each in taken if each not in without), *more)
    return type(name, (base,), {
        "function": staticmethod(function), "settings": settings, "inputs": inputs, "names": names, "text": text,
        "count": inputs.__code__.co_argcount - 1, "__doc__": doc, "__module__": module,
    })  # fmt: skip


def renamed(function, name):
    """A copy of a function, whose errors call it *name*."""
    copy = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, name
    return copy
