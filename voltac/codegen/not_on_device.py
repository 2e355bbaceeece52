"""What stages for devices raise where the device cannot do something."""


class NotOnDevice(Exception):
    """The device has no way to do something; ``str()`` is the reason."""

    function: str = ""
    """Where it is needed."""
