"""What a kernel says is not held back on its way to the browser, in JupyterLab and Notebook 7."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from course.machine import open_lab, prompt_sockets

pytestmark = pytest.mark.machine

# A server that writes, for each kernel's websocket, whether the system may hold its messages back.
SERVER = """\
import socket, sys

from jupyter_server.services.kernels.websocket import KernelWebsocketHandler as Handler
opened = Handler.open

async def open(self, kernel_id):
    await opened(self, kernel_id)
    kept = self.ws_connection.stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    print("TCP_NODELAY is", bool(kept), flush=True)

Handler.open = open
if sys.argv[1] == "lab":
    from jupyterlab.labapp import main
else:
    from notebook.app import main
sys.exit(main(sys.argv[2:]))
"""


def first_line(kind, folder, configuration):
    """What that server writes when a browser opens the websocket of a kernel."""
    from tornado.websocket import websocket_connect

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    names = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    own = {f"JUPYTER_{name}": str(folder / name) for name in names}
    own |= {"JUPYTER_CONFIG_PATH": configuration, "IPYTHONDIR": str(folder / "ipython")}
    options = ["--ServerApp.token=", "--ServerApp.disable_check_xsrf=True", "--allow-root"]
    options += [
        "--no-browser",
        "--ip=127.0.0.1",
        f"--port={port}",
        f"--ServerApp.root_dir={folder}",
    ]
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, kind, *options],
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            kernel = start_kernel(f"http://127.0.0.1:{port}/api/kernels")
            address = f"ws://127.0.0.1:{port}/api/kernels/{kernel}/channels"

            async def connect():
                browser = await websocket_connect(address)
                message = {"header": {"msg_type": "kernel_info_request", "msg_id": "1"}}
                message |= {"parent_header": {}, "metadata": {}, "content": {}, "channel": "shell"}
                await browser.write_message(json.dumps(message))
                answer = await asyncio.wait_for(browser.read_message(), 60)
                browser.close()
                return json.loads(answer)

            with ThreadPoolExecutor(1) as thread:  # a browser test may have left a loop in this one
                assert thread.submit(asyncio.run, connect()).result()["msg_type"]
            return server.stdout.readline()
        finally:
            server.terminate()


def start_kernel(url):
    request = urllib.request.Request(url, data=b"{}", method="POST")
    for _ in range(300):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["id"]
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


@pytest.mark.parametrize("kind", ["lab", "notebook"])
def test_a_message_of_a_kernel_is_not_held_back(kind, tmp_path):
    always = str(open_lab.CONFIGURATIONS / "always")
    assert first_line(kind, tmp_path, always) == "TCP_NODELAY is True\n"


@pytest.mark.parametrize("also", [[], ["without_exchange"]])
def test_the_configuration_of_the_course_names_an_extension_that_loads(also, monkeypatch):
    from jupyter_server.extension.config import ExtensionConfigManager

    folders = [str(open_lab.CONFIGURATIONS / name) for name in [*also, "always"]]
    named = ExtensionConfigManager(read_config_path=folders).get_jpserver_extensions()
    assert named[prompt_sockets.__name__] is True
    assert [p["module"] for p in prompt_sockets._jupyter_server_extension_points()] == [
        prompt_sockets.__name__
    ]


class Slow:
    """A connection of some other kind, which has no socket of its own (a gateway's)."""

    websocket_handler = None

    def connect(self):
        return "connected"


def test_a_connection_without_a_socket_still_connects():
    made = prompt_sockets.prompt(Slow)
    assert made().connect() == "connected"
    assert issubclass(made, Slow)
