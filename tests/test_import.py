"""What `import course` brings along: next to nothing, for a notebook waits for it."""

import subprocess
import sys
import textwrap


def modules_after(code):
    """The modules that a new Python has after `code` and did not have after `import torch`."""
    script = f"""
    import sys
    import torch
    before = set(sys.modules)
    {code}
    print(*sorted(set(sys.modules) - before))
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_import_course_imports_nothing_else():
    assert modules_after("import course") == {"course"}


def test_no_public_name_imports_matplotlib_or_widgets_before_it_is_used():
    every = "import course; names = [getattr(course, name) for name in course.__all__]"
    heavy = {"matplotlib", "ipywidgets", "anywidget", "IPython", "igraph"}
    assert not heavy & {*modules_after(every)}
