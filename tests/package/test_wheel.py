"""What is built for others: a wheel and a source archive, with everything that belongs there, fit to be installed."""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from tools.check_package import COMPILED, check, check_metadata, check_readme, check_tags, check_wheel
from tools.source_files import source_files

# as a compiler, but quick: what was compiled when the tests were installed is taken once more
COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
path=${{2#*/scythe/}}
cp "{sources}/scythe/${{path%.*}}" "$2"
"""


def build(root: Path, out: Path, *targets: str, **environment: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    for target in targets:
        command += ["-t", target]
    done = subprocess.run(command, cwd=root, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel, compiled modules included, and a source archive."""
    folder = tmp_path_factory.mktemp("built")
    compiler = folder / "cc"
    compiler.write_text(COMPILER.format(sources=root / "src"))
    compiler.chmod(0o755)
    return build(root, folder / "dist", "wheel", "sdist", CC=str(compiler))


def test_wheel_and_source_archive_have_everything_and_nothing_else(built: Path) -> None:
    assert len(list(built.iterdir())) == 2
    assert check(built, source_files(new=True)) == []


def test_compiled_modules_are_tagged_for_every_python_from_3_11_on_and_for_this_system(built: Path) -> None:
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_").replace("universal2", platform.machine())
    (wheel,) = built.glob("*.whl")
    assert wheel.name.endswith(f"-cp311-abi3-{system}.whl")
    with zipfile.ZipFile(wheel) as opened:
        assert set(opened.namelist()) >= COMPILED


def test_without_a_compiler_the_wheel_is_for_every_system_and_the_source_archive_builds_the_same_bytes(
    root: Path, built: Path, tmp_path: Path
) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    one, other = (
        next(build(tree, tmp_path / name, "wheel", CC="no-such-compiler").glob("*.whl"))
        for name, tree in (("one", root), ("other", unpacked))
    )
    assert one.name.endswith("-py3-none-any.whl")
    assert list(check_wheel(one, source_files(new=True))) == []
    assert one.read_bytes() == other.read_bytes()


def test_a_python_for_two_kinds_of_mac_gets_a_wheel_for_the_one_it_was_built_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", root / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "macosx-11.0-universal2")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert module._platform_tag() == "macosx_11_0_arm64"


def test_faults_of_a_package_are_found(built: Path, tmp_path: Path) -> None:
    """The checks above can fail."""
    from email.message import Message

    (wheel,) = built.glob("*.whl")
    lacking = check_wheel(wheel, source_files(new=True) | {"src/scythe/new_words.txt"})
    assert any("lacks scythe/new_words.txt" in fault for fault in lacking)
    stray = check_wheel(wheel, source_files(new=True) - {"src/scythe/site/site.py"})
    assert any("should not have scythe/site/site.py" in fault for fault in stray)
    tags = Message()
    tags["Tag"], tags["Root-Is-Purelib"] = "py3-none-any", "true"
    assert any("1 of 1 compiled modules" in fault for fault in check_tags("x-1-py3-none-any.whl", tags, COMPILED))
    assert list(check_readme("# x\n\n[gone](docs/gone.md)\n\n|a|\n|-|\n|b|", set()))
    poor = Message()
    poor["Classifier"] = "Programming Language :: Python :: 3.11"
    assert len(list(check_metadata(poor, set()))) >= 7


def test_a_scythe_from_the_source_tree_is_told_from_an_installed_one(root: Path) -> None:
    """`make test-wheel` proves by this that it tests what was installed."""
    from tools.only_installed import strangers

    import scythe

    is_from_here = Path(scythe.__file__).resolve().is_relative_to(root / "src")
    assert any(line.startswith("scythe: ") for line in strangers()) == is_from_here


MODULES = """
import importlib, pathlib, sys, scythe
home = pathlib.Path(scythe.__file__).parent
names = sorted(".".join(("scythe", *path.relative_to(home).with_suffix("").parts)) for path in home.rglob("*.py"))
names = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
for name in names: importlib.import_module(name)
loaded = [module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "scythe"]
print(len(names), home, all(pathlib.Path(path).is_relative_to(home) for path in loaded))
"""


def test_the_installed_wheel_runs_and_imports_every_module(root: Path, built: Path, tmp_path: Path) -> None:
    """Into an environment of its own that sees the dependencies of this one, but not its scythe: nothing is fetched."""
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    where = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    (where / "dependencies.pth").write_text(sysconfig.get_path("purelib"))  # its own .pth files are not read by this
    (wheel,) = built.glob("*.whl")
    install(python, wheel)
    shutil.copy(root / "examples" / "harvest.html", tmp_path)
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run(str(folder / "bin" / "scythe"), "--version").startswith("scythe 0.")
    assert "Late rain" in run(str(folder / "bin" / "scythe"), "read", "harvest.html", "--title-line")
    assert (folder / "share" / "man" / "man1" / "scythe.1").is_file()
    count, home, only_installed = run(str(python), "-c", MODULES).split()
    assert int(count) > 250
    assert home == str(where / "scythe")
    assert only_installed == "True"


def install(python: Path, wheel: Path) -> None:
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    quick = [uv, "pip", "install", "--offline", "--quiet", "--python", str(python)] if uv else []
    slow = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-compile"]
    subprocess.run([*(quick or slow), "--no-deps", str(wheel)], check=True, capture_output=True)
