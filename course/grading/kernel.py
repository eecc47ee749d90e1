"""A kernel whose replies are never overlooked.

A notebook with an ``Output`` or ``interact`` widget sometimes waits for the whole time limit of a
cell although the reply is there. nbclient answers the widget on the socket on which it waits for
the reply; that answer goes through a synchronous copy of the socket, which may take the one signal
"something has come" that the waiting side needs. Waiting in short slices looks again. (Measured,
nbclient 0.11 and jupyter_client 8.10, a notebook with both widgets: 29 of 80 runs waited for the
whole limit, and none of 80 with these channels.)
"""

from asyncio import get_running_loop
from queue import Empty

from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.manager import AsyncKernelManager
from traitlets import DottedObjectName, Type

SLICE = 0.25  # seconds; a missed signal costs no more than this


class SlicedChannel(AsyncZMQSocketChannel):
    """A channel that waits ``timeout`` seconds, but never longer than SLICE at a time."""

    async def get_msg(self, timeout=None):
        clock = get_running_loop().time
        end = None if timeout is None else clock() + timeout
        while True:
            left = SLICE if end is None else max(0, min(SLICE, end - clock()))
            try:
                return await super().get_msg(left)
            except Empty:
                if end is not None and clock() >= end:
                    raise


class SlicedClient(AsyncKernelClient):
    """A client that listens through sliced channels."""

    shell_channel_class = Type(SlicedChannel)
    iopub_channel_class = Type(SlicedChannel)


class SlicedKernelManager(AsyncKernelManager):
    """The kernel manager for ``c.Execute.kernel_manager_class``."""

    client_class = DottedObjectName("course.grading.kernel.SlicedClient")
    client_factory = Type(SlicedClient)
