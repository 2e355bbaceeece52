"""A build hook of hatchling: ``[tool.hatch.build.hooks.voltac]`` builds what ``[tool.voltac]`` names, into the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from voltac.packaging.project import project_builds

TAG = "py3-none-manylinux2014_x86_64"
"""Any Python 3, and any Linux with glibc: the libraries ask for nothing that is newer than the architecture."""


class VoltacBuildHook(BuildHookInterface[Any]):
    """Runs before the files of a wheel are collected."""

    PLUGIN_NAME = "voltac"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build everything, and have it taken along though no repository has it."""
        if self.target_name != "wheel":
            return
        subprocess.run([sys.executable, "-m", "voltac", "build"], cwd=self.root, check=True)
        build_data |= {"pure_python": False, "tag": TAG}
        build_data["artifacts"] += ["/" + os.path.normpath(build.output) for build in project_builds(self.root)]


@hookimpl
def hatch_register_build_hook() -> type[VoltacBuildHook]:
    """What hatchling asks for."""
    return VoltacBuildHook
