"""Write a file whole or not at all."""

import os
from pathlib import Path

from course.gradebook.database import GradebookError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Put ``content`` into a file, replacing what is there: ``write_whole("grades.csv", text)``.

    A reader sees the old file or the new one, never a part. What is no regular file, such as
    /dev/stdout, is written to as it is. Raises GradebookError when that is not possible.
    """
    content = content.encode() if isinstance(content, str) else content
    whole = Path(os.path.realpath(path))  # a link stays a link
    part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
    try:
        if os.path.exists(path) and not whole.is_file():
            with open(path, "wb") as file:
                file.write(content)
            return
        try:
            part.write_bytes(content)
            os.replace(part, whole)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise GradebookError(
            f"{path} cannot be written ({error.strerror}): give the name of another file."
        ) from error
