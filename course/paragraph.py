"""A paragraph of plain text that shows itself without quotes, in lines that fit a screen."""

import textwrap


class Paragraph(str):
    """Text for a learner. In a notebook it may be the last line of a cell."""

    WIDTH = 88

    def __repr__(self):
        return "\n".join(textwrap.fill(line, self.WIDTH) for line in self.splitlines())
