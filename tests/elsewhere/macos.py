"""A Python of this machine that lacks what macOS lacks, as its `sitecustomize`."""

import fcntl
import multiprocessing
import os
import resource
import select
import signal
import socket
import sys
import sysconfig
import time
import types

# The system's own proxies are asked for by a module that only macOS has.
sys.modules["_scproxy"] = types.ModuleType("_scproxy")
vars(sys.modules["_scproxy"]).update(_get_proxies=dict, _get_proxy_settings=dict)
sysconfig.get_config_vars()  # it reads a file named after the platform, once
sys.platform = "darwin"
vars(fcntl)["F_FULLFSYNC"] = 51  # an error here: then fsync has to do

GONE = {
    os: (
        *("copy_file_range", "eventfd", "fdatasync", "getrandom", "getresgid", "getresuid"),
        *("memfd_create", "pidfd_open", "posix_fadvise", "posix_fallocate", "sched_getaffinity"),
        *("sched_setaffinity", "setresgid", "setresuid", "splice", "O_DIRECT", "O_PATH"),
        *("O_TMPFILE", "getxattr", "setxattr", "listxattr", "removexattr"),
    ),
    resource: ("prlimit", "RLIMIT_OFILE", "RLIMIT_RTPRIO", "RLIMIT_SIGPENDING"),
    select: ("epoll",),
    signal: ("sigtimedwait", "sigwaitinfo", "SIGRTMIN", "SIGRTMAX", "SIGPWR", "SIGSTKFLT"),
    socket: ("SO_BINDTODEVICE", "SO_PEERCRED", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "AF_NETLINK"),
    time: ("CLOCK_BOOTTIME", "CLOCK_TAI"),
}
for module, names in GONE.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse files of Linux alone, a limit that macOS does not keep, and abstract sockets."""
    if event == "open" and str(arguments[0]).startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(2, "there is no such file here", arguments[0])
    if event == "resource.setrlimit" and arguments[0] == resource.RLIMIT_DATA:
        raise AssertionError("macOS does not keep this limit")
    if event in ("socket.bind", "socket.connect", "socket.sendto"):
        assert not str(arguments[1]).startswith("\0"), "macOS has no abstract sockets"


sys.addaudithook(_refuse)
multiprocessing.set_start_method("spawn", force=True)
