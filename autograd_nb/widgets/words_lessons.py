"""The words of the smaller widgets: prediction, tangent, vector-Jacobian product, workshop, training."""

PREDICT = {
    "title": "Predict: {question}",
    "predict": "Predict",
    "choices": "Answers to choose from",
    "number": "A number",
    "shape": "A shape, such as (2, 3)",
    "check": "Check",
    "right": "Right.",
    "wrong": "Not quite.",
    "other": "{got} is none of the answers that were expected here.",
    "then": "Try another answer, or run the next cell and compare.",
    "nothing_chosen": "Choose an answer first.",
    "nothing_written": "Write an answer first.",
    "no_number": "“{text}” is no number.",
    "no_shape": "“{text}” is no shape: write its sizes, such as (2, 3), or () for a single number.",
    "answer": "Answer",
    "answer_is": "{answer}: {reason}",
    "instead": "{answer} would mean: {reason}",
    "in_text": "Answer, once you have your own",
}
