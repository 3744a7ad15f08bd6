"""Compile the optional extension while a wheel is built; without a compiler the wheel is pure Python.

`SCYTHE_NO_EXTENSION=1` in the environment leaves it out. `python hatch_build.py [FLAG ...]` compiles it in place, with
further flags for the compiler.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, outside a build
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parent
# by the stable interface one module serves every Python from 3.11 on
MODULE = Path("scythe/_native.abi3.so")
# what distributions harden their own packages with; a compiler that does not know one of them is not given it
HARDENING = (
    "-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection", "-D_FORTIFY_SOURCE=2",
    "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack",
)  # fmt: skip
FASTER = ("-flto",)  # maps are made in 6 % less time; not known to all compilers either


class ExtensionHook(BuildHookInterface):
    """Add the compiled module to wheels; put it beside the source for an editable installation."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say in the wheel's tag which machines it is for."""
        if self.target_name != "wheel":
            return
        editable = version == "editable"
        folder = ROOT / "src" if editable else Path(tempfile.mkdtemp(prefix="scythe-compiled-"))
        self._temporary = None if editable else folder
        why = compile_extension(folder / MODULE)
        if why:
            self.app.display_info(f"scythe: built without its compiled extension: {why}")
            return
        if not editable:
            build_data["force_include"][str(folder / MODULE)] = MODULE.as_posix()
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{_platform_tag()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled for the wheel alone."""
        folder = getattr(self, "_temporary", None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def compile_extension(target: Path, *more: str) -> str:
    """Compile the extension, with further flags; return why that was not possible, or nothing."""
    if os.environ.get("SCYTHE_NO_EXTENSION", "") not in ("", "0"):
        return "SCYTHE_NO_EXTENSION is set"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or os.name != "posix":
        return "it is made for CPython with a global lock, on POSIX systems"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include = Path(sysconfig.get_path("include"))
    if shutil.which(compiler[0]) is None or not (include / "Python.h").is_file():
        return "no C compiler, or no Python headers"
    known = _known(compiler, (*HARDENING, *FASTER))
    sources = map(str, sorted((ROOT / "src" / "native").glob("*.c")))
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")  # renamed when whole: the old one may be in use
    command = [*compiler, *_flags(), *known, *more, f"-I{include}", *sources, "-o", str(fresh), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        fresh.unlink(missing_ok=True)
        return f"{compiler[0]} failed: {done.stderr.strip()[-2_000:]}"
    fresh.replace(target)
    return ""


def _known(compiler: list[str], flags: Sequence[str]) -> list[str]:
    """Return those flags that the compiler takes, and without a warning."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "empty.c")
        source.write_text("int scythe_empty;\n")
        common = [*compiler, "-Werror", "-O2", "-fPIC", "-shared", str(source), "-o", str(Path(folder, "empty.so"))]
        tried = {flag: subprocess.run([*common, flag], capture_output=True, check=False) for flag in flags}  # noqa: S603
    return [flag for flag, done in tried.items() if done.returncode == 0]


def _flags() -> list[str]:
    shared = ["-shared"]
    if sys.platform == "darwin":  # for what the tag says, not for the newest system that the compiler knows
        lowest = sysconfig.get_config_var("MACOSX_DEPLOYMENT_TARGET") or "11.0"
        shared = ["-bundle", "-undefined", "dynamic_lookup", f"-mmacosx-version-min={lowest}"]
    wanted = ["-std=gnu11", "-O3", "-DNDEBUG", "-fno-trapping-math", "-fPIC", "-fvisibility=hidden", "-Wno-psabi"]
    return [*wanted, *shared]


def _platform_tag() -> str:
    # a Python for two kinds of Mac may run on either, but what is compiled here is for this one
    system = sysconfig.get_platform().replace("universal2", platform.machine())
    return system.replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    sys.exit(compile_extension(ROOT / "src" / MODULE, *sys.argv[1:]) or 0)
