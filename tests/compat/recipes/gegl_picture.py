#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a picture (binary PPM) with edges, gradients and texture for GEGL's operations. usage: gegl_picture.py FILE"""
import sys

WIDTH, HEIGHT = 400, 300


def pixel(x, y):
    inside = (x - 200) ** 2 + (y - 150) ** 2 < 90 ** 2
    return (x * 255 // WIDTH, (x * y) % 251, 220 if inside else (x ^ y) % 128)


with open(sys.argv[1], "wb") as file:
    file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT))
    file.write(bytes(value for y in range(HEIGHT) for x in range(WIDTH) for value in pixel(x, y)))
