#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a network for leela-zero: 8 filters, 2 blocks, made-up weights (text format 1)."""
import random

FILTERS, BLOCKS, BOARD = 8, 2, 19 * 19
random.seed(1)


def row(count, low=-0.1, high=0.1):
    print(" ".join(f"{random.uniform(low, high):.5g}" for _ in range(count)))


def convolution(inputs, outputs, size):
    """Weights, biases, means and variances of the batch normalisation."""
    row(inputs * outputs * size * size)
    row(outputs)
    row(outputs)
    row(outputs, 0.5, 1.5)


print(1)
convolution(18, FILTERS, 3)
for _ in range(2 * BLOCKS):
    convolution(FILTERS, FILTERS, 3)
convolution(FILTERS, 2, 1)     # policy
row((BOARD + 1) * 2 * BOARD)
row(BOARD + 1)
convolution(FILTERS, 1, 1)     # value
row(256 * BOARD)
row(256)
row(256)
row(1)
