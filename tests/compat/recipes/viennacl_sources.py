#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Takes ViennaCL's examples and tests out of its packaged documentation. usage: viennacl_sources.py FOLDER NAME...

Doxygen's pages hold each source as lines of markup; NAME is a page without _8cpp_source.html. Writes FOLDER/NAME.cpp.
"""
import html
import pathlib
import re
import sys

PAGES = pathlib.Path("/usr/share/doc/libviennacl-dev/html")
LINE = re.compile(r'<div class="line">(.*?)</div>', re.S)
NUMBER = re.compile(r'(<a [^>]*></a>)?<span class="lineno">.*?</span>', re.S)

for name in sys.argv[2:]:
    text = (PAGES / f"{name}_8cpp_source.html").read_text(errors="replace")
    lines = [html.unescape(re.sub(r"<[^>]*>", "", NUMBER.sub("", m, count=1))).replace("\xa0", " ") for m in LINE.findall(text)]
    if not any("main" in x for x in lines):
        sys.exit(f"{name}: no program in the page")
    (pathlib.Path(sys.argv[1]) / f"{name}.cpp").write_text("\n".join(lines) + "\n")
