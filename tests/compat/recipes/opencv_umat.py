#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""OpenCV's OpenCL paths (UMat) against its CPU paths (Mat): prints each operation's checksum and largest difference."""
import sys
import zlib

import cv2
import numpy as np

SIDE = 512


def images():
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    color = np.stack([(x * y) % 251, (x * 3 + y * 7) % 256, (x ^ y) % 256], axis=2).astype(np.uint8)
    return color, color[:, :, 1].copy(), color[:, :, 0].astype(np.float32) / 7


COLOR, GRAY, REAL = images()
TURN = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), 17, 1.1)
OPERATIONS = {
    "cvtColor gray": lambda m: cv2.cvtColor(m(COLOR), cv2.COLOR_BGR2GRAY),
    "cvtColor hsv": lambda m: cv2.cvtColor(m(COLOR), cv2.COLOR_BGR2HSV),
    "resize linear": lambda m: cv2.resize(m(COLOR), (300, 200), interpolation=cv2.INTER_LINEAR),
    "resize area": lambda m: cv2.resize(m(GRAY), (256, 128), interpolation=cv2.INTER_AREA),
    "sobel": lambda m: cv2.Sobel(m(GRAY), cv2.CV_16S, 1, 0),
    "laplacian": lambda m: cv2.Laplacian(m(GRAY), cv2.CV_16S, ksize=3),
    "canny": lambda m: cv2.Canny(m(GRAY), 60, 180),
    "gaussian": lambda m: cv2.GaussianBlur(m(REAL), (7, 7), 1.5),
    "blur": lambda m: cv2.blur(m(GRAY), (5, 5)),
    "median": lambda m: cv2.medianBlur(m(GRAY), 3),
    "dilate": lambda m: cv2.dilate(m(GRAY), np.ones((5, 5), np.uint8)),
    "erode": lambda m: cv2.erode(m(GRAY), np.ones((3, 3), np.uint8)),
    "pyrDown": lambda m: cv2.pyrDown(m(GRAY)),
    "pyrUp": lambda m: cv2.pyrUp(m(GRAY)),
    "threshold": lambda m: cv2.threshold(m(GRAY), 100, 255, cv2.THRESH_BINARY)[1],
    "warpAffine": lambda m: cv2.warpAffine(m(GRAY), TURN, (SIDE, SIDE)),
    "bilateral": lambda m: cv2.bilateralFilter(m(GRAY), 5, 30, 30),
    "integral": lambda m: cv2.integral(m(GRAY)),
    "equalizeHist": lambda m: cv2.equalizeHist(m(GRAY)),
    "calcHist": lambda m: cv2.calcHist([m(GRAY)], [0], None, [64], [0, 256]),
    "add": lambda m: cv2.add(m(COLOR), m(COLOR)),
    "absdiff": lambda m: cv2.absdiff(m(GRAY), m(GRAY[::-1].copy())),
    "transpose": lambda m: cv2.transpose(m(REAL)),
    "flip": lambda m: cv2.flip(m(COLOR), 1),
    "lut": lambda m: cv2.LUT(m(GRAY), np.arange(255, -1, -1, dtype=np.uint8)),
    "normalize": lambda m: cv2.normalize(m(REAL), None, 0, 1, cv2.NORM_MINMAX),
    "gemm": lambda m: cv2.gemm(m(REAL / 30), m(REAL / 30), 1, None, 0),
    "dft": lambda m: cv2.dft(m(REAL), flags=cv2.DFT_COMPLEX_OUTPUT),
    "matchTemplate": lambda m: cv2.matchTemplate(m(GRAY), m(GRAY[40:72, 50:82].copy()), cv2.TM_CCORR),
}


def main():
    cv2.setNumThreads(1)
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        sys.exit("OpenCV finds no OpenCL device")
    for name, operation in OPERATIONS.items():
        for _ in range(3):
            got = operation(cv2.UMat).get()
        want = operation(lambda a: a)
        print(f"{name} {zlib.crc32(np.ascontiguousarray(got).tobytes()):08x} "
              f"{np.abs(got.astype(np.float64) - want.astype(np.float64)).max():.3g}", flush=True)


main()
