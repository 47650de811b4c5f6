# SPDX-License-Identifier: MIT
# Untried: no Spack was at hand where it was written. From a checkout:
#   spack repo add packaging/spack && spack dev-build coexec@main
from spack.package import *


class Coexec(MesonPackage):
    """OpenCL driver that runs each kernel of an unchanged program on all devices of the machine."""

    license("MIT")

    version("main")

    variant("analyser", default=True, description="Analyse kernels; without it nothing is split")

    depends_on("c", type="build")
    depends_on("meson@1.0.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl-c-headers")
    depends_on("ocl-icd")
    depends_on("uthash", type="build")
    depends_on("xxhash", type="build")
    depends_on("json-c")
    depends_on("sqlite@3.24:")
    depends_on("llvm@15:20+clang", when="+analyser", type=("build", "link", "run"))

    def meson_args(self):
        args = ["-Dtests=false"]
        if "+analyser" in self.spec:
            llvm = self.spec["llvm"].prefix.bin
            args += ["-Danalyser=enabled", f"-Dllvm-config={llvm.join('llvm-config')}", f"-Dclang={llvm.clang}"]
        else:
            args.append("-Danalyser=disabled")
        return args
