"""An extension of Jupyter's server: what a kernel says goes to the browser at once.

Without it the system may hold a small message back until the browser has confirmed the one before
(Nagle's algorithm), up to 40 ms. A lab's answer comes as three messages.

Only the server that loads it is changed, and whatever class of connections it uses.
"""

from contextlib import suppress

NAME = "kernel_websocket_connection_class"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server) -> None:
    settings = server.web_app.settings
    settings[NAME] = prompt(settings[NAME])


def prompt(connection):
    """The same kind of connection, with TCP_NODELAY set on the socket of the browser."""

    def connect(self):
        with suppress(Exception):  # a connection that is slower is better than none
            self.websocket_handler.set_nodelay(True)
        return connection.connect(self)

    return type(connection.__name__, (connection,), {"connect": connect})
