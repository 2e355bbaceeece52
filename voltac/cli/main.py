"""What ``voltac`` and ``python -m voltac`` begin with: Ctrl-C ends the process quietly while modules are imported, too.

An exception would not do: Python drops it where an import runs code in between, such as that of a lock that goes.
"""

from __future__ import annotations

from voltac.cli import end_interrupted


def entry() -> None:
    """What the command ``voltac`` runs."""
    try:
        import signal  # late: not before there is somebody to catch what is raised meanwhile

        caught = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if caught:
            signal.signal(signal.SIGINT, end_interrupted)
        import gc  # late: as all is here
        import sys

        import voltac
        from voltac.system.compiled_forms import CompiledForms
        from voltac.system.packed_modules import PackedModules

        # A compilation makes many objects and no garbage worth looking for; the process ends with it.
        gc.disable()
        # The process is this command's own: nobody else is told where modules come from.
        modules = PackedModules(voltac)
        sys.meta_path.insert(0, modules)
        forms = CompiledForms(voltac)
        from voltac.cli.command import run  # late: this takes long, and Ctrl-C is caught by now

        if caught:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run(modules.keep, forms.keep)
    except KeyboardInterrupt:
        end_interrupted()
