"""What those who test kernels use: calls made again for other targets and by the interpreter, and a plugin for pytest."""
