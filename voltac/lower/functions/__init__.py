"""Functions from outside and inside: conventions, calls, tasks, threads of a device, and the header for C."""
