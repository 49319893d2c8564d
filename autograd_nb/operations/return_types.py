"""The named tuples that operations with several results return, printed as PyTorch prints them."""

from functools import cache


class _ReturnType(tuple):
    __slots__ = ()
    fields = ()

    def __repr__(self):
        members = ",\n".join(f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{members})"


@cache
def return_type(name, *fields):
    """The class of an operation's results, with a property for each of *fields*.

    >>> return_type("max", "values", "indices")((3, 1)).indices
    1
    """
    members = {field: property(lambda self, number=number: self[number]) for number, field in enumerate(fields)}
    return type(name, (_ReturnType,), {"__slots__": (), "__module__": "torch.return_types", "fields": fields} | members)
