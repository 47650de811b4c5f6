# SPDX-License-Identifier: MIT
"""The sides of a comparison: their environments, and one run of a program on one of them."""
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
POCL = "libpocl.so.2"
DEVICES = {"bare basic": "basic", "bare pthread": "pthread"}


def clean_environment():
    """What the caller set for OpenCL and coexec shall not matter."""
    foreign = ("COEXEC_", "OCL_", "OPENCL_", "POCL_", "CL_", "XDG_", "PYTHON", "RUSTICL", "OCLGRIND")
    env = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    # keeps LD_LIBRARY_PATH and sanitizer options; one thread for maths on the host, whose sums could differ otherwise
    return dict(env, PATH=PATH, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8")


def vendors(args):
    """A folder with PoCL alone: other installed drivers take no part."""
    folder = args.work / "vendors"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pocl.icd").write_text(POCL + "\n")
    return f"{folder}/"


def keep(side, recipe, args):
    """A folder for what a program needs to go on later."""
    return args.work / "keep" / recipe.name / side.replace(" ", "-")


def environment(side, recipe, args, mix=None, cold=False):
    """The environment of `side`: "bare basic", "bare pthread", "auto", "always" or "verify" (coexec's).

    Each kind of side has a home and a cache of its own, `cold` ones that are empty."""
    kind = ("cold-" if cold else "") + ("bare" if side.startswith("bare") else "coexec")
    home, cache = args.work / f"home-{kind}", args.work / f"pocl-{kind}"
    for folder in (home, cache):
        if cold:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    env = clean_environment()
    # hashcat takes the home in /etc/passwd, but for what XDG_* say
    env.update(HOME=str(home), XDG_CACHE_HOME=str(home / ".cache"), POCL_CACHE_DIR=str(cache), POCL_MAX_PTHREAD_COUNT="1", OCL_ICD_FILENAMES="",
               HERE=str(pathlib.Path(__file__).resolve().parent.parent / "recipes"),
               SHARED=str(args.work / "shared" / recipe.family), KEEP=str(keep(side, recipe, args)), **recipe.env)
    if args.runs and args.layer.exists():
        env.update(OPENCL_LAYERS=str(args.layer), COMPAT_BUILD_TIMES=str(args.work / "builds.txt"))
    if side.startswith("bare"):
        env.update(OCL_ICD_VENDORS=vendors(args), POCL_DEVICES=DEVICES[side])
        return env
    env.update(OCL_ICD_VENDORS=f"{args.build}/icd/", COEXEC_VENDORS=vendors(args), POCL_DEVICES="basic pthread",
               COEXEC_SUMMARY="1", COEXEC_SUMMARY_FILE=str(args.work / "summary.txt"),
               COEXEC_LOG_FILE=str(args.work / "log.txt"))
    if side in ("always", "verify"):
        # equal shares: a dynamic balancer may give all of a short launch to the device that is first, and a measured
        # speed may be that of a driver compiling
        env.update(COEXEC_SPLIT="always", COEXEC_ALGO="static",
                   COEXEC_DEBUG="powers=1:1,analysis_wait=60000,analysis_limit=60000")
    if side == "verify":
        env["COEXEC_VERIFY"] = "1"
    if mix:
        env.update(mix.environment)
    env.update(item.split("=", 1) for item in args.set)
    return env


def run_script(script, folder, env, timeout):
    """(exit status or None on timeout, output, seconds) of a bash script in `folder`."""
    late = threading.Event()

    def kill():
        """The script, and what it left running."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def give_up():
        late.set()
        kill()

    start = time.monotonic()
    with open(folder / "output.txt", "wb") as out:
        process = subprocess.Popen(["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        # Popen.wait(timeout) looks every 50 ms only, which is longer than some programs differ by.
        limit = threading.Timer(timeout, give_up)
        limit.start()
        try:
            status = process.wait()
            seconds = time.monotonic() - start
        finally:
            limit.cancel()
            kill()
            process.wait()
    return None if late.is_set() else status, (folder / "output.txt").read_text(errors="replace"), seconds


def builds(args):
    """Seconds that the run's processes spent in calls that compile."""
    path = args.work / "builds.txt"
    return sum(float(line.split()[1]) for line in path.read_text().splitlines()) if path.exists() else 0.0


def run(side, recipe, args, mix=None, cold=False):
    """One run of a recipe: a dictionary with status, output, seconds, files and, through coexec, summary and log."""
    folder = args.work / "run" / recipe.name / side.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kept = keep(side, recipe, args)
    if not args.resume:
        shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)
    for name in ("summary.txt", "log.txt", "builds.txt"):
        (args.work / name).unlink(missing_ok=True)
    if (kept / "summary.txt").exists():
        shutil.copy(kept / "summary.txt", args.work)
    status, output, seconds = run_script(recipe.run, folder, environment(side, recipe, args, mix, cold),
                                         recipe.timeout * args.patience)
    done = {"side": side, "status": status, "output": output, "seconds": seconds, "builds": builds(args),
            "files": {f: (folder / f).read_bytes() if (folder / f).exists() else None for f in recipe.files}}
    for key in ("summary", "log"):
        path = args.work / f"{key}.txt"
        done[key] = path.read_text(errors="replace") if path.exists() else ""
        if done[key]:
            shutil.copy(path, folder)
    if done["summary"]:
        (kept / "summary.txt").write_text(done["summary"])
    return done


def prepare(recipe, args):
    """Runs the recipe's setup unless it was run before; "" or what went wrong."""
    shared = args.work / "shared" / recipe.family
    done = shared / ".done"
    if not recipe.setup or (done.exists() and done.read_text() == recipe.setup):
        shared.mkdir(parents=True, exist_ok=True)
        return ""
    shutil.rmtree(shared, ignore_errors=True)
    shared.mkdir(parents=True)
    status, output, _ = run_script(recipe.setup, shared, environment("bare basic", recipe, args), 1200)
    if status != 0:
        return f"setup failed (exit status {status}): {output[-300:]}"
    done.write_text(recipe.setup)
    return ""
