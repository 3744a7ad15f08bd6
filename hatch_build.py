"""Compile the optional modules while a wheel is built; without a compiler the wheel is pure Python.

`SCYTHE_NO_EXTENSION=1` in the environment leaves them out. `python hatch_build.py` compiles them in place.
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
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, outside a build
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parent
# folder of C files -> module; by the stable interface one module serves every Python from 3.11 on
MODULES = {
    "speed": Path("scythe/reading/text/_speed.abi3.so"),
    "walk": Path("scythe/page/_walk.abi3.so"),
    "hrefs": Path("scythe/page/_hrefs.abi3.so"),
    "cut": Path("scythe/site/cut/_scan.abi3.so"),
    "forest": Path("scythe/reading/_forest.abi3.so"),
}


class SpeedHook(BuildHookInterface):
    """Add the compiled module to wheels; put it beside the source for an editable installation."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say in the wheel's tag which machines it is for."""
        if self.target_name != "wheel":
            return
        editable = version == "editable"
        folder = ROOT / "src" if editable else Path(tempfile.mkdtemp(prefix="scythe-compiled-"))
        self._temporary = None if editable else folder
        why = compile_modules(folder)
        if why:
            self.app.display_info(f"scythe: built without its compiled modules: {why}")
            return
        if not editable:
            build_data["force_include"] |= {str(folder / path): path.as_posix() for path in MODULES.values()}
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{_platform_tag()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled for the wheel alone."""
        folder = getattr(self, "_temporary", None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def compile_modules(folder: Path) -> str:
    """Compile every module below `folder`; return why that was not possible, or nothing."""
    if os.environ.get("SCYTHE_NO_EXTENSION", "") not in ("", "0"):
        return "SCYTHE_NO_EXTENSION is set"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or os.name != "posix":
        return "they are made for CPython with a global lock, on POSIX systems"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include = Path(sysconfig.get_path("include"))
    if shutil.which(compiler[0]) is None or not (include / "Python.h").is_file():
        return "no C compiler, or no Python headers"
    for name, path in MODULES.items():
        sources = sorted((ROOT / "src" / name).glob("*.c"))
        why = _compile([*compiler, *_flags(), f"-I{include}"], sources, folder / path)
        if why:
            return why
    return ""


def _compile(command: list[str], sources: list[Path], target: Path) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")  # renamed when whole: the old one may be in use
    full = [*command, *map(str, sources), "-o", str(fresh), "-lm"]
    done = subprocess.run(full, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        fresh.unlink(missing_ok=True)
        return f"{command[0]} failed: {done.stderr.strip()[-500:]}"
    fresh.replace(target)
    return ""


def _flags() -> list[str]:
    shared = ["-shared"]
    if sys.platform == "darwin":  # for what the tag says, not for the newest system that the compiler knows
        lowest = sysconfig.get_config_var("MACOSX_DEPLOYMENT_TARGET") or "11.0"
        shared = ["-bundle", "-undefined", "dynamic_lookup", f"-mmacosx-version-min={lowest}"]
    return ["-std=gnu11", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-Wno-psabi", *shared]


def _platform_tag() -> str:
    # a Python for two kinds of Mac may run on either, but what is compiled here is for this one
    system = sysconfig.get_platform().replace("universal2", platform.machine())
    return system.replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    sys.exit(compile_modules(ROOT / "src") or 0)
