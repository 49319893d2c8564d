"""Handwritten digits to learn from: 1,797 images of 8 by 8 pixels, from scikit-learn (data/digits-licence.txt)."""

from pathlib import Path

import numpy as np

import autograd_nb as torch

DATA = Path(__file__).parent / "data" / "digits.npz"


def digits():
    """All images, (1797, 64), float32 from 0 (paper) to 1 (ink), and which digit each shows, (1797,), int64.

    >>> images, labels = digits()
    >>> images.shape, labels[:5]
    (torch.Size([1797, 64]), tensor([0, 1, 2, 3, 4]))
    """
    with np.load(DATA) as file:
        images, labels = file["images"], file["labels"]
    return torch.from_numpy(images.reshape(-1, 64) / np.float32(16)), torch.from_numpy(labels.astype(np.int64))
