"""The forms that code for IA-64 has as text, bundles and files (IA-64 3, 16)."""

from __future__ import annotations

from voltac.records import replace
from voltac.targets.ia64.assembly.addresses import put_address
from voltac.targets.ia64.assembly.text import bundle_lines
from voltac.targets.ia64.instructions import SLOT_CODE

DEVICE_CODE = replace(SLOT_CODE, put_address=put_address, bundle_lines=bundle_lines)
"""Of the one target there is."""
DEVICE_CODES = {DEVICE_CODE.name: DEVICE_CODE}
"""By the target's name."""
