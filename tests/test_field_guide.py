"""Every trap of the field guide is proved on the installed torch."""

import pytest
import torch
from torch.torch_version import TorchVersion

from course.guide import traps

HERE = TorchVersion(torch.__version__)
TRAPS = [trap for trap in traps() if trap.torch is None or trap.torch <= HERE]


@pytest.mark.parametrize("which", ["wrong", "right"])
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: f"{trap.group}:{trap.slug}")
def test_the_code_of_a_trap_prints_what_it_says(trap, which):
    code = getattr(trap, which)
    assert code.run() == code.prints
