"""The commands besides compiling: ``voltac COMMAND``, each a module of its name with a function ``COMMAND_command``."""

COMMANDS: dict[str, str] = {
    "demo": "compile kernels, run them on numpy arrays, write pictures, print ratios to numpy and numba",
    "build": "compile kernels ahead of time, for several instruction sets, into something ready to use",
    "compare": "show the all-on and the masked path of each foreach and coherent statement side by side",
    "explain": "show line by line what the memory accesses and foreach statements of a file became, and why",
    "explorer": "serve a page to this machine that compiles what is typed and explains it",
    "lsp": "serve an editor: messages while you type, hover, definitions, completion",
    "run": "call a function of a file on arguments given as text",
    "profile": "call a function of a file, and show how often each line ran and how many lanes were on",
    "bench": "measure a function for several targets and sizes, against what the machine allows",
    "replay": "make a call again that k.f.record(FILE) wrote in Python, and show what differs",
    "bisect": "find the pass of the compiler with which what a program does becomes wrong",
    "disasm": "print the instructions of a program for a device",
    "sim": "run a program for a device on the simulator",
    "explain-error": "say what the code of a message means, with a wrong and a right program",
    "cache": "say what compiled programs take on disk, remove them, look for damaged ones",
}
