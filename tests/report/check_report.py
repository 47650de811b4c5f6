#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `coexec report`: pages are well-formed, need nothing from elsewhere, and hold the numbers; bad input is named. TAP.

usage: check_report.py COEXEC [--browser]

With --browser also in a headless chromium, where there is one: no error on the console, and pictures in COEXEC_SHOTS
(a folder) to be looked at.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap

TOOL = sys.argv[1]
folder = tempfile.TemporaryDirectory()
at = lambda name: os.path.join(folder.name, name)


def report(*arguments):
    return subprocess.run([TOOL, "report", *arguments], capture_output=True, text=True, timeout=60)


def bench():
    def row(label, algo, ms, **more):
        run = {"ok": True, "ms": ms, "build_ms": 12.0, "first_ms": 345.0, "balance": 0.75, "launches": 4, "packages": 14, "moved_mb": 2.5}
        return {"set": label, "algo": algo, "ms": ms, "runs": [run], **more}

    rows = [row("0", None, 100.0), row("1", None, 200.0)]
    rows += [row(f"{n} device{'s' * (n > 1)}", algo, 100.0 / n, speedup=1.0 * n, maximum=1.1 * n, efficiency=1 / 1.1)
             for n in (1, 2) for algo in ("static", "auto")]
    return {"coexec_bench": 1, "date": "2026-11-22", "preset": "tiny", "machine": {"devices": [{"index": 0, "name": "a & b"}]},
            "programs": [{"name": "one<b>", "regular": True, "rows": rows},
                         {"name": "failed", "regular": False, "rows": [{"set": "0", "algo": None, "ms": None, "runs": [
                             {"ok": False, "problem": "exit <status> 1"}]}]}]}


def trace():
    lines = ["[", '{"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"dev <0>"}},']
    lines += ['{"name":"k","cat":"package","ph":"X","pid":1,"tid":%d,"ts":%d,"dur":900.0,"args":{"groups":%d,"launch":%d}},'
              % (i % 2, 1000 * i, 10 + i, 7 + i // 10) for i in range(20)]
    lines += ['{"name":"upload","cat":"transfer","ph":"X","pid":1,"tid":1,"ts":500,"dur":20.5,"args":{}},',
              '{"name":"download","cat":"transfer","ph":"X","pid":1,"tid":1,"ts":600,"dur":20.5,"args":{"bytes":2500000}},']
    return "\n".join(lines) + "\n"


def page_of(name, text, status=0):
    with open(at(name), "w") as file:
        file.write(text)
    done = report(at(name))
    assert done.returncode == status and done.stdout == at(name) + ".html\n", done
    with open(at(name) + ".html") as file:
        page = file.read()
    assert not re.search(r"(src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page), "loads something"
    pictures = re.findall(r"<svg.*?</svg>", page, re.S)
    for picture in pictures:
        xml.dom.minidom.parseString(picture)
    return re.sub(r' (data-label|class)="[^"]*"(?=[ >])', "", page), pictures, done.stderr


def a_bench_becomes_a_page():
    page, pictures, errors = page_of("bench.json", json.dumps(bench()))
    assert len(pictures) == 5 and not errors, (len(pictures), errors)
    by_hand = bench()
    by_hand["programs"][0]["rows"][-1]["over_native"] = 1.25
    native, drawn, errors = page_of("native.json", json.dumps(by_hand))
    assert len(drawn) == 6 and not errors and "2 devices, auto: 1.25 times" in native and "<td>1.250</td>" in native
    assert "<li>failed, devices 0, bare: exit &lt;status&gt; 1</li>" in page and "<td>12</td><td>345</td>" in page
    assert "<td>2 devices, auto</td><td>0.909</td><td>-</td><td>0.909</td><td>-</td><td>2.000</td><td>0.750</td><td>-</td>" in page
    assert "one&lt;b&gt;" in page and "one<b>" not in page and "a &amp; b" in page
    assert "2 devices, auto: 2 times" in page and "<td>0.909</td>" in page and "<td>3.5</td>" in page
    assert "prefers-color-scheme:dark" in page and 'name="viewport"' in page
    assert "<h1>2.00x as fast as the fastest device alone (2 devices, auto; geometric mean of 1 program)</h1>" in page, page
    assert "?" not in page.split("<script>")[0] and "was busy" not in page, "all can be"


def what_cannot_be_is_marked():
    result = bench()
    result["machine"].update(cores=2, load_before=1.5)
    result["programs"][0]["rows"][-1]["speedup"] = 1.16 * 2.2
    page = page_of("bench.json", json.dumps(result))[0]
    assert "The machine was busy before the first run (load 1.5 on 2 cores)" in page and "<td>2.552&nbsp;?</td><td>2.200</td>" in page
    done = report(at("bench.json"), "--markdown", "-")
    assert "**2.552** (0.909) ? |" in done.stdout and done.stdout.count(" ? |") == 1, done.stdout
    assert page.count("&nbsp;?") == 1 and "more than the devices' own times allow" in page


def a_trace_becomes_a_page():
    page, pictures, errors = page_of("trace.json", trace())
    assert len(pictures) == 3 and not errors, (len(pictures), errors)
    assert "k: 15 groups, 0.900 ms at 5.000 ms, launch 7" in page and "upload: 0.020 ms" in page or "upload: 0.021 ms" in page
    assert "download: 2.500 MB, 0.020 ms" in page or "download: 2.500 MB, 0.021 ms" in page
    assert "dev &lt;0&gt;" in page and "<td>10</td><td>190</td>" in page, "table"
    assert ">k</text>" in pictures[0] and 'class="f0" data-s' in pictures[0] and 'class="f7" data-s' in pictures[0], pictures[0][:900]
    assert "<h1>coexec trace: 22 packages and transfers</h1>" in page and "Kernels" not in page


def launches():
    """k: split twice, on device 0 at 10 groups a ms and on device 1 at 5, and whole three times; never: whole once."""
    launch = lambda name, dur, devices, groups, ms, **more: json.dumps(
        {"name": name, "cat": "launch", "ph": "X", "pid": 1, "tid": 3, "ts": 1, "dur": dur * 1000.0,
         "args": {"launch": 7, "split": len(devices) > 1, "devices": devices, "groups": groups, "ms": ms, **more}}) + ","
    return "\n".join([launch("k", 10, [0, 1], [100, 50], [10, 10])] * 2 +
                     [launch("k", 10, [0], [100], [10], reason="a <reason>", where=", line 7")] * 3 +
                     [launch("never", 10, [1], [100], [10], reason="another", where="")])


def kernels_of_a_trace():
    text = trace() + '{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"app"}},\n' + launches()
    page, pictures, errors = page_of("trace.json", text)
    # 150 groups took 10 ms, 15 on device 0 alone: 60 ms were (2 * 15 + 30 + 10) = 70
    assert "<h1>1.17x as fast as the fastest device alone (estimate); 2 of 6 launches split</h1>" in page and "program: app" in page, page
    assert ("<td>k</td><td>5</td><td>2</td><td>50.000</td><td>1.20</td><td>device&nbsp;0:&nbsp;83.3&nbsp;%, device&nbsp;1:&nbsp;16.7&nbsp;%</td>"
            "<td>3&times;&nbsp;a &lt;reason&gt;, line 7</td>") in page, page
    assert "<td>never</td><td>1</td><td>0</td><td>10.000</td><td>-</td><td>device&nbsp;1:&nbsp;100.0&nbsp;%</td><td>1&times;&nbsp;another</td>" in page
    assert not errors and len(pictures) == 3 and "sticky" in page
    shared = launches().replace("}},", ', "cpu_units": [2, 2], "share_cores": true}},')
    shared = re.sub(r'(\[0\], "groups": )\[100\], "ms": \[10\]', r'\1[300], "ms": [10]', shared)  # 30 groups a ms alone
    assert "<h1>0.83x as fast as the fastest device alone (estimate; devices share cores); 2 of 6 launches split</h1>" in page_of("trace.json", trace() + shared)[0]
    broken = launches().replace('"devices": [0]', '"devices": 5').replace("[100, 50]", '["x", -1e400]')
    assert "cannot be read" in page_of("trace.json", trace() + broken, 1)[2]


def one_launch():
    page_of("trace.json", trace())
    done = report(at("trace.json"), "--launch", "8", "-o", "-")
    assert done.returncode == 0 and "launch 8" in done.stdout and "launch 7" not in done.stdout
    done = report(at("trace.json"), "--launch", "99", "-o", "-")
    assert done.returncode == 1 and "no package of launch 99" in done.stderr and not done.stdout, done


def a_trace_cut_short_serves():
    page, pictures, errors = page_of("cut.json", trace()[:-300], 1)
    assert len(pictures) == 3 and "cut.json: 1 line cannot be read" in errors, errors


def numbers_past_all_bounds():
    wild = ['{"name":"k","cat":"package","ph":"X","pid":1,"tid":0,"ts":%s,"dur":%s,"args":{"groups":%s,"launch":7}},' % row
            for row in [("1e400", "5", "1"), ("-1e308", "1e308", "1e308"), ("5", "-5", "1"), ("6", "7", "1e400")]]
    page, pictures, errors = page_of("wild.json", trace() + "\n".join(wild), 1)
    assert len(pictures) == 3 and "cannot be read" in errors, errors
    assert not re.search(r'"-?(nan|inf)"', page), "no numbers"
    page_of("short.json", '[\n{"name":"k","cat":"package","ph":"X","tid":0,"ts":0,"dur":1e-320,"args":{"groups":1e-322}}\n]\n')
    result = json.dumps(bench()).replace("1.1", "1e400").replace("2.2", "1.7e308")
    page, pictures, errors = page_of("wild-bench.json", result)
    assert not re.search(r'"-?(nan|inf)"', page), "no numbers"


def power_over_time():
    watts = "".join('{"name":"watts","cat":"counter","ph":"C","pid":1,"tid":0,"ts":%d,"args":{"0 GPU":%s,"1 <GPU>":50}},\n' % (1000 * i, 100 + i)
                    for i in range(300))
    page, pictures, errors = page_of("trace.json", trace() + watts)
    assert len(pictures) == 4 and "Power over time" in page and "1 &lt;GPU&gt;" in page and not errors, errors
    broken = watts
    for number, other in ((150, '"x"'), (160, "-1"), (170, "1e400"), (180, "null")):
        broken = broken.replace(f'"0 GPU":{number},', f'"0 GPU":{other},')
    broken = broken.replace('"args":{"0 GPU":190', '"args":7,"a":{"0 GPU":190')
    page, pictures, errors = page_of("trace.json", trace() + broken)
    assert len(pictures) == 4 and not re.search(r'"-?(nan|inf)"', page), errors
    many = "".join('{"name":"watts","ph":"C","ts":1,"args":{"%d":1}},\n' % i for i in range(99))
    assert len(page_of("trace.json", trace() + many)[1]) == 4
    done = report(at("trace.json"), "--svg", "-", "--chart", "power")
    assert done.returncode == 0, done
    xml.dom.minidom.parseString(done.stdout)


def a_measured_run():
    """What coexec power --json writes, whole and damaged."""
    seconds = [0.05 * i for i in range(40)]
    of = {"name": "A <GPU>", "kind": "NVML", "seconds": 2.0, "watts": 500.0, "joules": 1000.0, "error": 70.0}
    told = {"command": ["a", "b&c"], "status": 0, "seconds": 2.0, "period": 0.045, "sources": [of, {**of, "joules": None, "lacks": "x"}],
            "total": {"joules": 1000.0, "edp": 2000.0}, "notes": [],
            "curve": {"seconds": seconds, "watts": [[300 + i for i in range(40)], [None, "x"] + [7] * 30]}}
    page, pictures, errors = page_of("power.json", json.dumps(told))
    assert len(pictures) == 1 and "Power over time" in page and "0 A &lt;GPU&gt;" in page and "1000.0 J in 2.00 s" in page and "b&amp;c" in page, page
    done = report(at("power.json"), "--svg", "-", "--chart", "power")
    assert done.returncode == 0, done
    xml.dom.minidom.parseString(done.stdout)
    for member in told:
        for other in (None, 7, [], {}, [None], "x"):
            page_text = json.dumps({**told, member: other})
            pathlib.Path(at("power.json")).write_text(page_text)
            done = report(at("power.json"), "-o", "-")
            assert done.returncode in (0, 1) and not re.search(r'"-?(nan|inf)"', done.stdout), (member, other, done)
    pathlib.Path(at("power.json")).write_text(json.dumps(told))
    assert report(at("power.json"), "--markdown", "-").returncode == 2


def energy_of_a_bench():
    told = bench()
    for program in told["programs"]:
        for row in program["rows"]:
            row.update({"energy_over_alone": 0.91, "edp_over_alone": 0.46} if row["algo"] else {})
    page, pictures, _ = page_of("bench.json", json.dumps(told))
    without = page_of("bench.json", json.dumps(bench()))[1]
    assert len(pictures) == len(without) + 2 and "Energy over the fastest device alone" in page and "0.46" in page
    for chart in "energy", "edp":
        done = report(at("bench.json"), "--svg", "-", "--chart", chart)
        assert done.returncode == 1 and "nothing to draw" in done.stderr, done


def one_chart():
    with open(at("bench.json"), "w") as file:
        json.dump(bench(), file)
    for chart in "speedup", "efficiency", "balance", "packages", "scaling":
        done = report(at("bench.json"), "--svg", "-", "--chart", chart)
        assert done.returncode == 0, done
        xml.dom.minidom.parseString(done.stdout)
    done = report(at("bench.json"), "--svg", "-", "--chart", "pie")
    assert done.returncode == 2 and "charts here: speedup" in done.stderr, done


def a_bench_becomes_markdown():
    result = bench()
    result["command"], result["variables"] = ["bench", "--sets", "a=0;b=1"], ["POCL_DEVICES=basic pthread"]
    rows = result["programs"][0]["rows"]
    rows[-1]["over_native"] = 1.25
    result["programs"][0]["compute"] = True  # and 100 ms alone
    rows[-2]["speedup"] = 0.5
    result["programs"][1]["rows"][0]["runs"] = [{"ok": False, "problem": "exit status 1: x|y"}]
    with open(at("bench.json"), "w") as file:
        json.dump(result, file)
    done = report(at("bench.json"), "--markdown", "-")
    assert done.returncode == 0 and not done.stderr, done
    assert "<li>2 devices, static: one&lt;b&gt; (1)</li>" in page_of("bench.json", json.dumps(bench()))[0]
    for part in ("    POCL_DEVICES='basic pthread' coexec bench --sets 'a=0;b=1'\n", "| 2 devices | auto | 0.909 (1) | - | 0.909 (1) | 0.909 (1) |",
                 " 1.250 (1) |", "| one\\<b> | regular | 100.00 | 2.20 | 0.500 (0.909) | **2.000** (0.909) |", "* static: one\\<b> 0.500",
                 "* failed, devices 0, bare: exit status 1: x\\|y"):
        assert part in done.stdout, (part, done.stdout)
    widths = [line.count("|") - line.count("\\|") for line in done.stdout.splitlines() if line.startswith("|")]
    assert set(widths) <= {4, 5, 6, 7, 10}, widths
    page_of("trace.json", trace())
    done = report(at("trace.json"), "--markdown", "-")
    assert done.returncode == 2 and "only a result of" in done.stderr and not done.stdout, done


def results_are_put_into_a_document():
    script = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "results"
    results = lambda *words: subprocess.run([sys.executable, script, "--coexec", TOOL, "--out", at("r.md"), *words],
                                            capture_output=True, text=True, timeout=60)
    with open(at("bench.json"), "w") as file:
        json.dump(bench(), file)
    assert results("one GPU=" + at("bench.json")).returncode == 0
    text = pathlib.Path(at("r.md")).read_text()
    assert text.startswith("# Results") and text.count("## one GPU") == 1 and text.count("| one") == 4, text
    pathlib.Path(at("r.md")).write_text(text.replace("<!-- one GPU -->", "By hand.\n\n<!-- one GPU -->").replace("2.00", "9.99"))
    assert results("one GPU=" + at("bench.json"), "two=" + at("bench.json")).returncode == 0
    text = pathlib.Path(at("r.md")).read_text()
    assert "By hand." in text and "9.99" not in text and text.count("<!-- end of") == 2, text
    done = results("two=" + at("none.json"))
    assert done.returncode == 1 and "nothing was changed" in done.stderr and pathlib.Path(at("r.md")).read_text() == text, done
    assert results("two").returncode == 1
    with open(at("coexec"), "w") as program:  # measures nothing, and says that a run failed
        program.write(f'#!/bin/sh\n[ "$1" = report ] && exec {os.path.abspath(TOOL)} "$@"\n'
                      f'for file; do :; done\necho "$POCL_DEVICES: $*" >{at("words")}\n[ -e {at("none")} ] || cp {at("bench.json")} "$file"\nexit 1\n')
    os.chmod(at("coexec"), 0o755)
    done = results("--coexec", at("coexec"), "--measure", "three=" + at("three.json"))
    words = pathlib.Path(at("words")).read_text()
    assert done.returncode == 1 and "some runs failed" in done.stderr and "## three" in pathlib.Path(at("r.md")).read_text(), done
    assert words.startswith("basic pthread: bench --preset small") and words.endswith(f"--resume --json {at('three.json')}\n"), words
    text = pathlib.Path(at("r.md")).read_text()
    pathlib.Path(at("none")).touch()
    done = results("--coexec", at("coexec"), "--measure", "four=" + at("four.json"))
    assert done.returncode == 1 and "nothing was changed" in done.stderr and pathlib.Path(at("r.md")).read_text() == text, done
    assert results("--measure", "a=" + at("bench.json"), "b=" + at("bench.json")).returncode == 1


def bad_input_is_named():
    for name, text, message in [("no.json", None, "No such file"), ("text.json", "hello", "neither a trace nor"),
                                ("half.json", json.dumps(bench())[:200], "not all of one"), ("other.json", "{}", "no result of"),
                                ("empty.json", "[\n", "no packages or transfers")]:
        if text is not None:
            with open(at(name), "w") as file:
                file.write(text)
        done = report(at(name), "-o", "-")
        assert done.returncode == 1 and name in done.stderr and message in done.stderr and not done.stdout, done
    assert report().returncode == 2 and report("--svg").returncode == 2 and report("a", "b").returncode == 2
    page_of("bench.json", json.dumps(bench()))
    assert report(at("bench.json"), "-o", "/nonexistent/x.html").returncode == 1


def in_a_browser():
    chromium = shutil.which("chromium")
    if "--browser" not in sys.argv or not chromium:
        return "SKIP no --browser or no chromium"
    shots = os.environ.get("COEXEC_SHOTS", folder.name)
    for name, text in ("bench.json", json.dumps(bench())), ("trace.json", trace() + launches()):
        page_of(name, text)
        for width, mode in (1280, "light"), (390, "light"), (1280, "dark"), (390, "dark"):
            shot = os.path.join(shots, f"{name}.{width}.{mode}.png")
            done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                                   f"--window-size={width},1200", f"--screenshot={shot}"] +
                                  (["--blink-settings=preferredColorScheme=0"] if mode == "dark" else []) +
                                  [f"file://{at(name)}.html"], capture_output=True, text=True, timeout=120)
            assert os.path.getsize(shot) > 10000, done
            assert "CONSOLE" not in done.stderr, done.stderr
    return None


def main():
    tests = [a_bench_becomes_a_page, what_cannot_be_is_marked, a_trace_becomes_a_page, kernels_of_a_trace, one_launch, a_trace_cut_short_serves, numbers_past_all_bounds,
             power_over_time, a_measured_run, energy_of_a_bench, one_chart, a_bench_becomes_markdown, results_are_put_into_a_document, bad_input_is_named, in_a_browser]
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main())
