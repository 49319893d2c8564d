"""Programs of one line, ``x = torch.ones(2); x.exp()``: what the last expression shows, or what is raised."""

import re
import warnings


def outcome(line, torch):
    """The text of the last expression's value, and of warnings; or the error's type and text."""
    names = {"torch": torch, "F": torch.nn.functional}
    *statements, last = line.split("; ")
    before = torch.is_grad_enabled()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec("\n".join(statements), names)
            shown = repr(eval(last, names))
        except Exception as error:
            shown = f"{type(error).__name__}: {error}"
    torch.set_grad_enabled(before)
    said = [re.sub(r" \(Triggered internally.*", "", str(each.message), flags=re.DOTALL) for each in caught
            if "torch.jit" not in str(each.message)]  # what PyTorch's own modules bring up, once
    return re.sub("0x[0-9a-f]+", "0xADDR", shown), said
