"""A reply that has come is seen, also when the one signal for it was lost."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import Empty

import pytest
import zmq
import zmq.asyncio
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.session import Session
from nbgrader.preprocessors import Execute
from nbgrader_course import REPOSITORY, code, notebook
from traitlets.config.loader import PyFileConfigLoader

from course.grading import SlicedKernelManager
from course.grading.kernel import SLICE, SlicedChannel


class Overlooking(zmq.asyncio.Socket):
    """A socket whose poll always misses the message; only the next poll finds it there."""

    polls = None  # zmq lets only attributes be set that the class has

    async def poll(self, timeout=None, flags=zmq.POLLIN):
        self.polls.append(timeout)
        return len(self.polls) > 1 and await super().poll(0, flags)


def ask(channel_class, timeout):
    """Send a reply through an overlooking socket; return (what get_msg gave, its polls in ms)."""

    async def conversation():
        context = zmq.asyncio.Context()
        try:
            kernel = context.socket(zmq.PAIR)
            port = kernel.bind_to_random_port("tcp://127.0.0.1")
            client = context.socket(zmq.PAIR, socket_class=Overlooking)
            client.polls = []
            client.connect(f"tcp://127.0.0.1:{port}")
            session = Session(key=b"secret")
            channel = channel_class(client, session)
            await kernel.send_multipart(session.serialize(session.msg("reply", {"status": "ok"})))
            await zmq.asyncio.Socket.poll(client, 5000)  # it has come
            try:
                return (await channel.get_msg(timeout))["content"], client.polls
            except Empty:
                return Empty, client.polls
        finally:
            context.destroy(linger=0)

    with ThreadPoolExecutor(1) as thread:  # a browser test may have left a loop in this one
        return thread.submit(asyncio.run, conversation()).result()


def test_stock_jupyter_waits_for_the_whole_time_limit_and_this_does_not():
    assert ask(AsyncZMQSocketChannel, 30) == (Empty, [30_000])
    assert ask(SlicedChannel, 30) == ({"status": "ok"}, [SLICE * 1000] * 2)


def test_a_wait_without_an_end_is_sliced_too():
    assert ask(SlicedChannel, None) == ({"status": "ok"}, [SLICE * 1000] * 2)


@pytest.mark.parametrize("timeout", [0, -1])
def test_no_time_means_one_look(timeout):
    assert ask(SlicedChannel, timeout) == (Empty, [0])


def test_stock_execute_takes_such_channels_from_the_shipped_config_for_validate_too():
    config = PyFileConfigLoader("nbgrader_config.py", path=str(REPOSITORY)).load_config()
    execute = Execute(config=config)
    used = []
    execute.on_cell_complete = lambda **_: used.append(
        (type(execute.km), type(execute.kc.shell_channel), type(execute.kc.iopub_channel))
    )
    execute.preprocess(notebook([code("1 + 1")]), {"metadata": {"path": ""}})
    assert used == [(SlicedKernelManager, SlicedChannel, SlicedChannel)]
