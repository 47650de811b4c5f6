# SPDX-License-Identifier: MIT
"""Real devices of two drivers under one virtual one. The second driver is unpacked into the work folder, not installed:
the system's own list of drivers stays as it is."""
import dataclasses
import shutil
import subprocess
import sys

from . import recipes, sides


@dataclasses.dataclass
class Mix:
    about: str
    library: str                 # of the second driver, in the folder it is unpacked into
    packages: tuple = ()         # Debian packages to unpack
    installed: tuple = ()        # Debian packages that the driver looks for below /usr
    wheels: tuple = ()           # packages of the Python registry to unpack
    folders: tuple = ()          # for LD_LIBRARY_PATH, in that folder
    extra: dict = dataclasses.field(default_factory=dict)  # variables; {} is the folder
    environment: dict = dataclasses.field(default_factory=dict)  # made by get()


MIXES = {
    "oclgrind": Mix("PoCL and oclgrind, an interpreter",
                    "usr/lib/oclgrind/liboclgrind-rt-icd.so", ("oclgrind", "liboclgrind-21.10"),
                    folders=("usr/lib/x86_64-linux-gnu",)),
    # without the built-in functions of libclc-15 it shows a platform of no device, and says nothing
    "rusticl": Mix("PoCL and Mesa's rusticl on llvmpipe", "usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1",
                   ("mesa-opencl-icd", "libllvmspirvlib15", "libclang-cpp15", "libdrm2", "libdrm-nouveau2",
                    "libsensors5"), installed=("libclc-15",),
                   folders=("usr/lib/x86_64-linux-gnu",), extra={"RUSTICL_ENABLE": "llvmpipe"}),
    "intel": Mix("PoCL and Intel's CPU runtime", "*.data/data/lib/libintelocl.so",
                 wheels=("intel-opencl-rt", "intel-cmplr-lib-rt"), folders=("lib",)),
}


def unpack(mix, folder):
    """Fetches the packages and unpacks them into the folder, once."""
    done = folder / ".done"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    if mix.packages:
        subprocess.run(["apt-get", "download", "-qq", *mix.packages], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        for deb in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
            deb.unlink()
    if mix.wheels:
        subprocess.run([shutil.which("python3"), "-m", "pip", "download", "-q", "-d", folder, *mix.wheels], check=True)
        for wheel in folder.glob("*.whl"):
            subprocess.run(["unzip", "-qo", wheel, "-d", folder], check=True)
            wheel.unlink()
        (folder / "lib").mkdir(exist_ok=True)
        for library in folder.glob("*.data/data/lib/**/*"):
            link = folder / "lib" / library.name
            if not link.exists() and not library.name.startswith("libOpenCL"):
                link.symlink_to(library)
    done.touch()


def shows_device(mix, library, args):
    """Whether coexec sees a device of the mix's driver: without one it would split over PoCL's devices alone."""
    env = {**sides.clean_environment(), **mix.environment, "HOME": str(args.work)}
    said = subprocess.run([args.build / "tools/coexec", "info"], env=env, capture_output=True, text=True, check=False).stdout
    devices = said.partition("Drivers were searched in")[0]
    return f", {library}\n" in devices


def get(name, args):
    """The mix with the environment of coexec's runs; exits with a line when its driver is not to be had."""
    mix = MIXES[name]
    folder = args.work / "mix" / name
    missing = [p for p in mix.installed if not recipes.version(p)]
    if missing:
        sys.exit(f"compat: mix {name}: not installed: {' '.join(missing)} (--install)")
    try:
        unpack(mix, folder)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"compat: mix {name}: {error}")
    found = sorted(folder.glob(mix.library))
    if not found:
        sys.exit(f"compat: mix {name}: no {mix.library} in {folder}")
    mix.environment = {k: v.replace("{}", str(folder)) for k, v in mix.extra.items()}
    mix.environment["COEXEC_VENDORS"] = f"{args.work}/vendors/pocl.icd:{found[0]}"
    mix.environment["POCL_DEVICES"] = "pthread"
    if mix.folders:
        mix.environment["LD_LIBRARY_PATH"] = ":".join(str(folder / f) for f in mix.folders)
    sides.vendors(args)
    if not shows_device(mix, found[0], args):
        sys.exit(f"compat: mix {name}: {found[0]} shows no device")
    return mix
