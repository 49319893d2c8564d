"""why("a message") finds the clinic's entry for messages of PyTorch, of today and of earlier versions."""

import re

import pytest

from autograd_nb import why, words
from autograd_nb.course.clinic import CHAPTER, ROW, entry_for
from autograd_nb.course.library import cells, course_source

MARKDOWN = [source for kind, source in cells(course_source() / f"{CHAPTER}.ipynb") if kind == "markdown"]
WORDINGS = words.of("clinic")["wordings"]

# Messages as programs print them, of several versions of PyTorch.
MESSAGES = {
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.cuda.FloatTensor [64, 1]], which is output 0 of AsStridedBackward0, is at version 3; expected version 2 "
    "instead.": "Modified in place",
    "RuntimeError: Trying to backward through the graph a second time, but the buffers have already been freed. "
    "Specify retain_graph=True when calling backward the first time.": "Backward a second time",
    "RuntimeError: element 0 of variables does not require grad and does not have a grad_fn":
        "Nothing to go back through",
    "RuntimeError: grad can be created only for scalar outputs": "Not a scalar",
    "a leaf Variable that requires grad has been used in an in-place operation.": "A leaf in place",
    "RuntimeError: leaf variable has been moved into the graph interior": "A part of a leaf in place",
    "Can't call numpy() on Variable that requires grad. Use var.detach().numpy() instead.": "NumPy refused",
    "RuntimeError: invalid gradient at index 0 - expected shape [] but got [1]": "A gradient that does not fit",
    "Output 0 of BackwardHookFunctionBackward is a view and is being modified inplace. This view was created inside a "
    "custom Function": "A module hook and a layer in place",
    "Output 0 of UnbindBackward0 is a view and is being modified inplace. This view is the output of a function that "
    "returns multiple views.": "Several views",
    "RuntimeError: Cannot set Module backward hook for a Module with no input Tensors.":
        "A module hook that sees too little",
    "RuntimeError: expected scalar type Float but found Double": "Two dtypes",
    "RuntimeError: Expected object of scalar type Float but got scalar type Double for argument #2 'mat2'":
        "Two dtypes",
    "RuntimeError: The size of tensor a (32) must match the size of tensor b (10) at non-singleton dimension 1":
        "Shapes that do not fit",
    "RuntimeError: size mismatch, m1: [3 x 4], m2: [5 x 6]": "Shapes that do not fit",
    "NotImplementedError: the derivative for 'argmax' is not implemented.": "No derivative",
    "TypeError: unsupported operand type(s) for -: 'Parameter' and 'NoneType'": "A weight that became a result",
    "ValueError: can't optimize a non-leaf Variable": "An optimizer of results",
    "UserWarning: None of the inputs have requires_grad=True. Gradients will be None": "Computed again, and otherwise",
    "torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: A different number of tensors was saved during "
    "the original forward and recomputation.": "Computed again, and otherwise",
    "UserWarning: Using a target size (torch.Size([8])) that is different to the input size (torch.Size([8, 1])).":
        "Silent: a column against a row",
    "Expected to have finished reduction in the prior iteration before starting a new one.": "An unused input",
    "IndexError: Target 10 is out of bounds.": "A class that is not there",
    "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same": "Two devices",
}  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
def test_a_pasted_message_finds_its_entry(message):
    title, cause, cure = entry_for(message)
    assert title == MESSAGES[message]
    answer = why(message)
    assert answer.chapters == [CHAPTER] and f'"{title}"' in answer and cause in answer and cure in answer


def test_each_wording_and_each_row_of_the_index_finds_its_own_entry():
    index = next(text for text in MARKDOWN if text.startswith("| the message"))
    rows = [(said, place.replace("-", " ")) for said, place in ROW.findall(index)]
    assert len(rows) > 45
    pairs = [*rows, *((said, title) for title, each in WORDINGS.items() for said in each)]
    found = [(said, entry_for(said)[0].replace("-", " "), title.replace("-", " ")) for said, title in pairs]
    assert [each for each in found if each[1] != each[2]] == []
    headings = {text[3:].partition("\n")[0] for text in MARKDOWN if text.startswith("## ")}
    assert WORDINGS.keys() <= headings


@pytest.mark.parametrize("text", ["", "KeyError: 'loss'", "CUDA out of memory. Tried to allocate 2.00 GiB", "hello"])
def test_of_another_text_it_is_said_that_there_is_no_entry(text):
    assert entry_for(text) is None and why(text).chapters == []
    assert "no entry for this message" in why(text)


def test_the_program_that_needs_checkpoint_raises_what_the_clinic_quotes(torch):
    (text,) = [text for text in MARKDOWN if text.startswith("## Computed again")]
    program, message = re.search(r"```python\n(.*?)```\n+`(.*?)`", text, re.DOTALL).groups()
    with pytest.raises(RuntimeError) as raised:
        exec(program, {"torch": torch})
    assert f"{type(raised.value).__name__}: {raised.value}".startswith(message.rstrip("."))
