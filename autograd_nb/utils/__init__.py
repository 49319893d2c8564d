"""``torch.utils``: only ``data`` is here."""

from ..torch_api.absent import absent_from

__getattr__ = absent_from("torch.utils")
