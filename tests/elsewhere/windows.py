"""A Python of this machine that lacks what Windows lacks, as its `sitecustomize`."""

import os
import signal
import sys
from importlib.abc import MetaPathFinder

MISSING = frozenset(
    {"crypt", "fcntl", "grp", "nis", "posix_ipc", "pty", "pwd", "readline", "resource", "spwd"}
    | {"syslog", "termios", "tty"}
    | {"granian", "uvloop"}  # what a server needs
)


class _Missing(MetaPathFinder):
    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.partition(".")[0] in MISSING:
            raise ImportError(f"there is no {fullname} here", name=fullname)


sys.meta_path.insert(0, _Missing())
for loaded in MISSING & sys.modules.keys():
    del sys.modules[loaded]
for name in ("SIGHUP", "SIGALRM", "SIGCHLD", "SIGPROF", "SIGUSR1", "SIGUSR2"):
    delattr(signal, name)
for name in ("alarm", "setitimer", "ITIMER_PROF", "pthread_sigmask", "sigwait"):
    delattr(signal, name)
for name in ("fork", "geteuid", "getuid", "getgid", "getegid", "chown", "fchmod", "fchown"):
    delattr(os, name)
