"""Every word that widgets show of their own, in one place; what PyTorch says stands in the engine, not here."""

KIT = {
    "disconnected": "This widget has lost its kernel: what it shows stays, but it can compute no more. "
    "Run its cell again.",
    "not_a_number": "{text} is no finite number, so {label} stays {value}.",
    "empty_field": "The field is empty, so {label} stays {value}.",
    "undo": "Undo",
    "reset": "Reset",
    "copy": "Copy as Python",
    "copied": "Copied: {text}",
    "copy_failed": "The browser allows no copying here. The text: {text}",
    "none": "None",
    "value_of": "{label}, value",
    "stored": "(A picture of the widget. To use it, run this cell.)",
}
