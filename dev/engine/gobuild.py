"""Builds a group of programs from Go modules, checked against their pinned checksums, into a given folder."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dev.engine.cache import BuildFailed
from dev.engine.pins import Group, own_sources
from dev.engine.workspace import WorkspaceFault, prepare

Say = Callable[[str], None]
PROGRESS_SECONDS = 20
OLDEST_GO_THAT_FETCHES_A_NEWER_ONE = (1, 21)


def find_go(group: Group) -> tuple[str, str]:
    """Returns (program, version) of the go on PATH. BuildFailed if there is none or it is too old."""
    program = shutil.which("go")
    if program is None:
        raise BuildFailed("go is not on PATH")
    version = _output([program, "env", "GOVERSION"]).strip().removeprefix("go")
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST_GO_THAT_FETCHES_A_NEWER_ONE:
        raise BuildFailed(f"{program} is Go {version}; {group.go} or newer is needed")
    return program, version


def build(group: Group, go: str, stage: Path, say: Say) -> None:
    """Fills `stage`/bin with the group's programs. BuildFailed names the step and the end of its output."""
    work, bin_folder, log = stage / "work", stage / "bin", stage / "build.log"
    work.mkdir()
    bin_folder.mkdir()
    (work / "go.mod").write_text("module training-infra/engine\n\ngo 1.24\n")
    runner = _Runner(
        go=go, work=work, log=log, say=say, minutes=group.minutes, no_checksum_database=group.no_checksum_database
    )

    pins = [f"{module.path}@{module.version}" for module in group.modules]
    say(f"1/3 downloading {', '.join(pins)} and what they need")
    folders = _checked_modules(group, runner.captured(["mod", "download", "-json", *pins]))
    try:
        prepare(group, folders, work)
    except WorkspaceFault as error:
        raise BuildFailed(str(error)) from error
    runner.step(["get", *pins])
    for number, program in enumerate(group.programs, start=1):
        say(f"2/3 compiling {program.name} ({number} of {len(group.programs)})")
        flags = ["-trimpath", "-buildvcs=false", "-ldflags", f"-s -w {program.ldflags}".strip()]
        runner.step(["build", *flags, "-o", str(bin_folder / program.name), program.package])
    _copy_of_modules(group, folders, stage, say)
    _copy_own(group, bin_folder)
    shutil.rmtree(work)


def _copy_of_modules(group: Group, folders: dict[str, Path], stage: Path, say: Say) -> None:
    bin_folder = stage / "bin"
    names = [file.name for file in group.module_files] + [folder.name for folder in group.module_folders]
    names += [script.name for script in group.own_programs]
    if names:
        say(f"3/3 adding {', '.join(names)}")
    for file in group.module_files:
        shutil.copyfile(folders[file.module] / file.source, bin_folder / file.name)
        (bin_folder / file.name).chmod(0o755)
    for folder in group.module_folders:
        target = stage / folder.name
        target.mkdir()
        for source in own_sources(folders[folder.module] / folder.source):
            shutil.copyfile(source, target / source.name)


def _copy_own(group: Group, bin_folder: Path) -> None:
    for folder in group.own_files:
        for source in own_sources(folder):
            if source not in group.own_programs:
                target = bin_folder / source.relative_to(folder.parent)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    for script in group.own_programs:
        shutil.copyfile(script, bin_folder / script.name)
        (bin_folder / script.name).chmod(0o755)


def _checked_modules(group: Group, listing: str) -> dict[str, Path]:
    """Returns each module's folder from `go mod download -json`; BuildFailed if a checksum is not the pinned one."""
    folders: dict[str, Path] = {}
    decoder, position = json.JSONDecoder(), 0
    while listing[position:].strip():
        entry, position = decoder.raw_decode(listing, len(listing) - len(listing[position:].lstrip()))
        folders[entry["Path"]] = Path(entry["Dir"])
        pinned_module = next(module for module in group.modules if module.path == entry["Path"])
        if entry["Sum"] != pinned_module.sum:
            raise BuildFailed(
                f"{pinned_module.path}@{pinned_module.version} has the checksum {entry['Sum']},"
                f" not the pinned {pinned_module.sum}: "
                "not built; find out where your module proxy has it from"
            )
    return folders


class _Runner:
    """Runs go in the work folder, its output in a log, with a sign of life every few seconds."""

    def __init__(
        self, *, go: str, work: Path, log: Path, say: Say, minutes: int, no_checksum_database: str = ""
    ) -> None:
        self.go, self.work, self.log, self.say = go, work, log, say
        self.end = time.monotonic() + 60 * minutes
        # No C compiler needed; -mod=mod because go.mod is made as it builds; no go.work of a folder above.
        self.env = {**os.environ, "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0", "GOWORK": "off"}
        if no_checksum_database:
            self.env["GONOSUMDB"] = ",".join(filter(None, [os.environ.get("GONOSUMDB"), no_checksum_database]))

    def captured(self, arguments: Sequence[str]) -> str:
        """Runs go and returns its standard output."""
        output = self.work / "stdout"
        self.step(arguments, output)
        return output.read_text()

    def step(self, arguments: Sequence[str], output: Path | None = None) -> None:
        """Runs go to its end. BuildFailed with the last lines it said."""
        started = time.monotonic()
        with self.log.open("ab") as log, (output or self.log).open("ab") as stdout:
            process = subprocess.Popen(  # go, with arguments from the pins
                [self.go, *arguments], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=log,
                start_new_session=True,
            )  # fmt: skip
            try:
                while self._still_running(process):
                    self.say(f"    … {time.monotonic() - started:.0f} s{self._left()}")
            finally:
                if process.poll() is None:  # interrupted: compilers of go must not go on in the background
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        if process.returncode:
            lines = self.log.read_text(errors="replace").splitlines()[-15:]
            raise BuildFailed("\n".join([f"go {arguments[0]} failed:", *(f"    {line}" for line in lines)]))

    def _left(self) -> str:
        """The minutes that a first build of the group usually still takes, as a message ends with them."""
        minutes = (self.end - time.monotonic()) / 60
        return f", about {round(minutes) or 1} min left in all" if minutes > 0 else ", longer than usual"

    @staticmethod
    def _still_running(process: subprocess.Popen[bytes]) -> bool:
        try:
            process.wait(PROGRESS_SECONDS)
        except subprocess.TimeoutExpired:
            return True
        return False


def _output(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # go itself
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildFailed(f"{' '.join(command)} failed: {error}") from error
