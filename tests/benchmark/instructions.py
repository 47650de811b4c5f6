#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions that each call of a program costs the layer, as callgrind counts them: the same on a loaded
machine. Runs tests/benchmark/calls on the tests' stub driver with two numbers of calls; the difference, divided,
is what one costs: `own` in libcoexec.so itself, `libc` in the C library's functions that it calls (memory, locks,
copies), in all of its threads. usage: instructions.py --build BUILD [--devices N,N] [--groups G] [KIND ...]"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ('launch', 'arg+launch', 'launch+event', 'launch+finish', 'arg', 'write+finish', 'flush', 'finish')


def cost_of(text):
    """Own instructions of libcoexec.so, and those of the C library under it."""
    names = {}
    own = libc = 0
    inside = calling = False
    callee = ''
    for line in text.splitlines():
        match = re.match(r'(c?ob)=\((\d+)\)(?: (.*))?', line)
        if match:
            key, number, name = match.groups()
            if name:
                names[number] = os.path.basename(name)
            if key == 'ob':
                inside = names[number].startswith('libcoexec.so')
                callee = ''
            else:
                callee = names[number]
        elif line.startswith('fn='):
            callee = ''
        elif line.startswith('calls='):
            calling = True
        elif re.match(r'[+*\d-]', line) and inside:
            count = int(line.split()[-1]) if len(line.split()) > 1 else 0
            if not calling:
                own += count
            elif callee.startswith('libc.'):
                libc += count
            calling, callee = False, ''
        elif re.match(r'[+*\d-]', line):
            calling, callee = False, ''
    return own, libc


def measure(build, environment, kind, times, groups, keep):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(keep) if keep else Path(folder) / 'out'
        subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + str(out),
                        str(build / 'tests/benchmark/calls'), kind, str(times), str(groups)],
                       env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return cost_of(out.read_text())


def analyse(build, environment, groups):
    """Has the cache know the kernel: processes of short launches end before the analyser does."""
    subprocess.run([str(build / 'tests/benchmark/calls'), 'launch', '1', str(groups)],
                   env=dict(environment, COEXEC_DEBUG='analysis_wait=100000'), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', type=Path, required=True)
    parser.add_argument('--devices', default='1,2')
    parser.add_argument('--groups', type=int, default=1)
    parser.add_argument('--times', type=int, default=1000)
    parser.add_argument('--keep', help='where callgrind\'s file of the last run goes')
    parser.add_argument('kind', nargs='*', default=KINDS)
    args = parser.parse_args()
    for devices in args.devices.split(','):
        with tempfile.TemporaryDirectory() as cache:
            environment = dict(os.environ, STUB_DEVICES=devices, STUB_SPEED='0', XDG_CACHE_HOME=cache,
                               OCL_ICD_VENDORS=str(args.build.resolve() / 'icd') + '/',
                               COEXEC_VENDORS=str(args.build.resolve() / 'tests/driver/libstub.so'))
            analyse(args.build, environment, args.groups)
            for kind in args.kind:
                few = measure(args.build, environment, kind, args.times, args.groups, None)
                many = measure(args.build, environment, kind, 3 * args.times, args.groups, args.keep)
                own, libc = ((b - a) / (2 * args.times) for a, b in zip(few, many))
                print(f'devices={devices} groups={args.groups} {kind}: own={own:.0f} libc={libc:.0f}', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
