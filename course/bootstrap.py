"""Start a command of the course with any Python: ``python course/bootstrap.py lab``.

make calls this file, and so can people without make. It finds a Python that the course can use,
then hands over to ``course.machine``. It is the one file that every Python must be able to read,
2.7 too, so that a person with an old one gets a sentence and not a SyntaxError: standard library
only, old syntax only.
"""

from __future__ import print_function

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# A script's own folder comes first on sys.path: there our modules would hide Python's own ones.
sys.path = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
sys.path.insert(0, os.path.dirname(HERE))

import subprocess  # noqa: E402 - only after sys.path is in order

OLDEST = (3, 11)
NEWEST = (3, 14)  # the newest Python for which there is the torch of constraints.txt
LOOK_FOR = ("3.13", "3.12", "3.11", "3.14")
ASK_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def main(arguments):
    """Run the command with this Python or with a better one; give the exit status."""
    if OLDEST <= tuple(sys.version_info[:2]) <= NEWEST:
        from course.machine.targets import main as run

        return run(arguments)
    found = find_python()
    this = "Python %d.%d" % tuple(sys.version_info[:2])
    if found is None:
        age = "too old" if tuple(sys.version_info[:2]) < OLDEST else "too new"
        words = (
            "%s (%s) is %s: the course needs Python 3.%d to 3.%d. Install one and run this again."
        )
        print(words % (this, sys.executable, age, OLDEST[1], NEWEST[1]), file=sys.stderr)
        return 1
    print("%s cannot run the course, using %s." % (this, " ".join(found)))
    sys.stdout.flush()
    command = found + [os.path.abspath(__file__)] + arguments
    if os.name == "nt":  # there, exec would give the prompt back while the command still runs
        return subprocess.call(command)
    os.execvp(command[0], command)


def find_python():
    """The first Python on PATH that the course can use, as the start of a command; or None."""
    for version in LOOK_FOR:
        start = ["py", "-" + version] if os.name == "nt" else ["python" + version]
        try:  # it must run: a name on PATH may stand for a Python that is not installed
            asked = subprocess.Popen(
                start + ["-c", ASK_VERSION], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            if asked.communicate()[0].decode().strip() == version:
                return start
        except OSError:
            continue
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
