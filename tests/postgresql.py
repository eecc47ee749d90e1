"""A PostgreSQL server of the tests' own, from Debian's packages: the fixture ``postgresql``."""

import os
import shutil
import signal
import subprocess
import time
from glob import glob
from itertools import count

import psycopg
import pytest

NUMBERS = count(1)


def program(name):
    """Where a program of PostgreSQL is; Debian keeps them off the path."""
    debian = sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return debian[-1] if debian else shutil.which(name)


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory):
    """The folder of the socket of a running server, which listens on no network."""
    if not program("initdb"):
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    folder = tmp_path_factory.mktemp("postgresql")
    somebody = {"user": "nobody"} if os.geteuid() == 0 else {}  # it refuses to run as root
    if somebody:
        for parent in [folder, *folder.parents]:
            if parent.owner() == "root" and not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
        shutil.chown(folder, "nobody")
    made = [program("initdb"), "-D", folder / "data", "-U", "tester", "-A", "trust", "--no-sync"]
    subprocess.run(made, cwd=folder, check=True, capture_output=True, **somebody)
    started = [program("postgres"), "-D", folder / "data", "-k", folder, "-c", "listen_addresses="]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(started, cwd=folder, stdout=log, stderr=log, **somebody)
    try:
        wait_for(folder, server)
        yield folder
    finally:
        server.send_signal(signal.SIGQUIT)  # at once: nobody needs the data
        server.wait(30)


def wait_for(folder, server):
    """Until the server answers."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return connect(folder, "postgres").close()
        except psycopg.OperationalError:
            assert server.poll() is None and time.monotonic() < deadline, (
                folder / "log"
            ).read_text()
            time.sleep(0.1)


def connect(folder, database):
    return psycopg.connect(host=str(folder), user="tester", dbname=database, autocommit=True)


@pytest.fixture
def postgresql(postgresql_server):
    """The URL of an empty database."""
    name = f"gradebook{next(NUMBERS)}"
    with connect(postgresql_server, "postgres") as server:
        server.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    return f"postgresql+psycopg://tester@/{name}?host={postgresql_server}"
