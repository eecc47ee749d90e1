"""Many submissions at once. A pool maps ``mark`` over submissions and gives results as they come.

    for student, result in LocalPool(jobs=2).map(bundle, submissions): ...

``submissions`` gives (student, bytes) pairs and is read only as fast as results are taken away, so
that memory does not grow with their number. ``result`` is JSON as bytes. A worker that dies takes
nothing with it: its submission is marked again by another, twice at most.
"""

import gc
import json
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from course.grading.batch.bundle import CannotMark
from course.grading.batch.mark import FAILED, mark
from course.grading.warm_process import Orders, adopt, zygote_for

TRIES = 3
PRELOAD = ("course.grading.batch.mark", "nbgrader.converters")


def failed(student: str, why: str) -> bytes:
    """The result of a submission that was not marked."""
    return json.dumps({"student": student, "outcome": FAILED, "log": why, "seconds": 0}).encode()


class LocalPool:
    """Processes of this machine.

    They share the warm process that follows ``orders``, if there is one. Modules of ``preload`` are
    imported once, in the process that the workers are forked from.
    """

    def __init__(
        self,
        jobs: int,
        feedback: bool = False,
        orders: Orders | None = None,
        preload: tuple[str, ...] = (),
    ):
        self.jobs, self.feedback, self.orders = jobs, feedback, orders
        self.preload = [*PRELOAD, *preload]

    def map(
        self, bundle: bytes, submissions: Iterable[tuple[str, bytes]]
    ) -> Iterator[tuple[str, bytes]]:
        """(student, result) of every submission, in the order in which they are done."""
        waiting, deaths = iter(submissions), Counter()
        while True:
            lost: list[tuple[str, bytes]] = []
            yield from self._until_death(bundle, waiting, self.jobs, lost)
            if not lost:
                return
            for item in lost:  # one at a time: which one was it?
                while True:
                    again: list[tuple[str, bytes]] = []
                    yield from self._until_death(bundle, iter([item]), 1, again)
                    if not again:
                        break
                    deaths[item[0]] += 1
                    if deaths[item[0]] == TRIES - 1:
                        yield item[0], failed(item[0], "The process that marked it died each time.")
                        break

    def _until_death(self, bundle, waiting, jobs, lost):
        """Map until there are no more, or a worker dies; then ``lost`` has what was in work."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(self.preload)
        door = zygote_for(self.orders).door if self.orders else None
        executor = ProcessPoolExecutor(
            jobs,
            mp_context=context,
            initializer=prepare,
            initargs=(bundle, self.feedback, self.orders, door),
        )
        running = {}
        try:
            while True:
                for item in islice(waiting, 2 * jobs - len(running)):
                    running[executor.submit(mark_prepared, *item)] = item
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    result = future.result()
                    yield running.pop(future)[0], result
        except BrokenProcessPool:
            lost.extend(running.values())
        finally:
            executor.shutdown(cancel_futures=True)


class DaskPool:
    """Workers of a dask.distributed cluster, which must have this course installed."""

    def __init__(self, address: str, feedback: bool = False):
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise CannotMark(
                "Marking on a cluster needs dask.distributed: pip install 'distributed>=2024.8'"
            ) from None
        try:
            self.client = Client(address, timeout="10s")
        except (OSError, TimeoutError, ValueError) as error:
            raise CannotMark(
                f"No dask scheduler answers at {address} ({error}): start one with "
                "`dask scheduler`, or leave --cluster away."
            ) from None
        self.feedback = feedback

    def map(
        self, bundle: bytes, submissions: Iterable[tuple[str, bytes]]
    ) -> Iterator[tuple[str, bytes]]:
        """(student, result) of every submission, in the order in which they are done."""
        from distributed import KilledWorker, as_completed

        client, waiting = self.client, iter(submissions)
        [everywhere] = client.scatter([bundle], broadcast=True)
        workers = sum(client.nthreads().values()) or 1
        students, progress = {}, as_completed()

        def more(count):
            for student, submission in islice(waiting, count):
                future = client.submit(
                    mark, everywhere, student, submission, self.feedback, pure=False, retries=TRIES
                )
                students[future.key] = student
                progress.add(future)

        with client:
            more(2 * workers)
            for future in progress:
                student = students.pop(future.key)
                try:
                    result = future.result()
                except KilledWorker as error:
                    result = failed(student, f"The workers that marked it died: {error}")
                except Exception as error:
                    result = failed(student, f"{type(error).__name__}: {error}")
                more(1)
                yield student, result


_prepared = {}


def prepare(bundle: bytes, feedback: bool, orders: Orders | None, door) -> None:
    """What a worker of LocalPool is told once."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    gc.freeze()  # what is imported is nobody's garbage
    if orders is not None and door is not None:
        adopt(orders, door)
    _prepared.update(bundle=bundle, feedback=feedback)


def end_with_parent() -> None:
    """End this process when the one who asked for it is killed: it would wait for ever."""
    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def mark_prepared(student: str, submission: bytes) -> bytes:
    """``mark`` in a worker that was told the bundle."""
    return mark(_prepared["bundle"], student, submission, _prepared["feedback"])
