"""The watch over what tests leave running sees threads, child processes and tasks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def run_one(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> Callable[[str], pytest.RunResult]:
    """Run one test file under this project's own conftest."""

    def run(body: str) -> pytest.RunResult:
        watch = (pytestconfig.rootpath / "tests" / "conftest.py").read_text(encoding="utf-8")
        pytester.makeconftest(watch.replace("PATIENCE_S = 3.0", "PATIENCE_S = 0.1"))
        pytester.makepyfile(body)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-q")

    return run


def test_a_thread_left_running_fails_its_test(run_one: Callable[[str], pytest.RunResult]) -> None:
    result = run_one("""
        import threading
        def test_it():
            threading.Thread(target=threading.Event().wait, args=(2,), name="lost").start()
    """)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*left running: thread lost*"])


def test_a_child_left_running_fails_its_test(run_one: Callable[[str], pytest.RunResult]) -> None:
    result = run_one("""
        import subprocess
        def test_it():
            global child
            child = subprocess.Popen(["sleep", "2"])
        def test_innocent():
            pass
    """)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*left running: process * sleep 2*"])


def test_a_forgotten_task_fails_its_test(run_one: Callable[[str], pytest.RunResult]) -> None:
    result = run_one("""
        import asyncio
        async def main():
            asyncio.create_task(asyncio.sleep(9), name="forgotten")
        def test_it():
            asyncio.run(main())
    """)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*left running: task forgotten*"])


def test_what_is_ended_in_time_is_no_fault(run_one: Callable[[str], pytest.RunResult]) -> None:
    result = run_one("""
        import asyncio, subprocess, threading
        async def main():
            task = asyncio.create_task(asyncio.sleep(0))
            await task
        def test_it():
            asyncio.run(main())
            thread = threading.Thread(target=lambda: None)
            thread.start()
            subprocess.run(["true"])
            thread.join()
    """)
    result.assert_outcomes(passed=1)
