"""A real table process for benches and soaks: ``table-controller run`` with its files in a folder, and what it uses."""

from __future__ import annotations

import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

READY_LIMIT_S = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Use:
    """PSS in MB of a process tree and of the table's own process, and that one's descriptors and threads.

    ``own_mb``: what only this process has, the heap. A leak is there; PSS also changes with who shares its libraries.
    """

    pss_mb: float
    main_mb: float
    descriptors: int
    threads: int
    own_mb: float


class RealRun:
    """One table. ``start`` waits until it is ready and returns the seconds that took."""

    def __init__(self, folder: Path, *, camera: str, dealer: str = "none", broker_port: int = 0) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.journal = folder / "state" / "journal.jsonl"
        self.said: list[str] = []
        self.config = folder / "table.toml"
        feed = f"host = '127.0.0.1'\nport = {broker_port}" if broker_port else "host = ''"
        self.config.write_text(
            f"[table]\nid = 't1'\nvenue = 'hall'\n[camera]\nsource = '{camera}'\n[dealer]\nport = '{dealer}'\n"
            f"[feed]\n{feed}\n[web]\nport = {self.port}\n[panel]\nenabled = false\n"
            f"[state]\ndirectory = '{folder / 'state'}'\n"
        )
        self.process: subprocess.Popen[str] | None = None
        self.ready_s = 0.0

    def start(self) -> float:
        began = time.monotonic()
        command = [sys.executable, "-m", "table_controller", "run", "--degraded", "--config", str(self.config)]
        ready = threading.Event()
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._listen, args=(self.process, ready), name="listen", daemon=True).start()
        if not ready.wait(READY_LIMIT_S):
            raise AssertionError(f"not ready: {self.said[-5:]}")
        return time.monotonic() - began

    def _listen(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            self.said.append(line.rstrip())
            if " is ready: " in line:
                ready.set()
        process.stderr.close()
        ready.set()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def tree(self) -> list[psutil.Process]:
        try:
            main = psutil.Process(self.pid)
            return [main, *main.children(recursive=True)]
        except psutil.Error:
            return []

    def worker(self) -> psutil.Process | None:
        """The child that reads pictures."""
        return next((p for p in self.tree()[1:] if "spawn_main" in " ".join(_words(p))), None)

    def use(self) -> Use:
        tree = self.tree()
        pss = [_pss(p) for p in tree]
        return Use(sum(pss), pss[0], tree[0].num_fds(), tree[0].num_threads(), _own(tree[0]))

    def cpu_s(self) -> float:
        """Processor seconds of the whole tree so far."""
        times = [p.cpu_times() for p in self.tree()]
        return float(sum(t.user + t.system for t in times))

    def limit_files(self, size: int | None) -> None:
        """No file of the table may grow beyond ``size`` bytes: what a full disk does to a journal. None: it may."""
        most = resource.RLIM_INFINITY
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (most if size is None else size, most))

    def stop(self) -> float:
        """SIGTERM; returns the seconds until it had ended."""
        assert self.process is not None
        began = time.monotonic()
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(20)
        finally:
            self.kill()
        return time.monotonic() - began

    def kill(self) -> None:
        """SIGKILL to all of it, as a power cut would end it."""
        tree = self.tree()
        for process in tree:
            try:
                process.kill()
            except psutil.Error:
                continue
        if self.process is not None:
            self.process.wait(10)
        psutil.wait_procs(tree[1:], 10)


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def _pss(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss) / 2**20
    except psutil.Error:
        return 0.0


def _own(process: psutil.Process) -> float:
    """MB that are no file's: RssAnon."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return float(next(line.split()[1] for line in lines if line.startswith("RssAnon:"))) / 1024


class Mosquitto:
    """A broker on one port that may be killed and started again; it keeps its retained messages and queues."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o777)
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nsocket_domain ipv4\nallow_anonymous true\nmax_queued_messages 0\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1\n"
        )
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["/usr/sbin/mosquitto", "-c", str(self._config)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        wait_for(lambda: _answers(self.port), 10)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(done: Callable[[], object], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise AssertionError("waited too long")
        time.sleep(0.05)
