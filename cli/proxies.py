"""What a proxy writes down of those who ask it, and what of its configuration nobody could read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from deniable.text.safety import printable

_Block: TypeAlias = "list[tuple[list[str], _Block | None]]"
"""What stands between braces in nginx's language: words up to a semicolon, or up to a block."""

_TOKEN: Final = re.compile(
    r"""\s*(\#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]|(?:\$\{[^}]*\}|\\.|[^\s{};\\])+)""",
    re.VERBOSE,
)
_DUMPED: Final = re.compile(r"(?m)^# configuration file (.+):$")
_OTHERS_CODE: Final = re.compile(r"(?m)^\s*(\w+_by_lua\w*|perl|js_\w+)\s")
_USUAL: Final = "its usual file"
_AS_ROOT: Final = "; give what 'nginx -T' prints, run as root"

_LOGS: Final = {
    "access_log": ("requests, which say who answers", "access_log off;"),
    "error_log": ("errors, with the address of who met them", "error_log /dev/null;"),
}
_CADDYS_APPS: Final = {"events", "http", "pki", "tls"}


def of_proxy(path: Path) -> Iterator[str]:
    """Say which logs a proxy keeps by its configuration, and what of it could not be looked at."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if text.lstrip().startswith("{") and text.rstrip().endswith("}"):
        try:
            yield from _of_caddy(path, json.loads(text))
            return
        except ValueError:
            pass  # a Caddyfile that begins with its options
    if re.search(r"(?m)(^|[;}])\s*((http|events|server)\s*\{|include\s|location\s.*\{)", text):
        yield from _of_nginx(path, text)
    else:
        yield from _of_caddyfile(path)


def _of_nginx(path: Path, text: str) -> Iterator[str]:
    dump = _DUMPED.split(text)[1:]
    main = dump[0] if dump else str(path.absolute())
    unread: list[str] = []
    read = _reader(Path(main).parent, dict(zip(dump[::2], dump[1::2], strict=True)), unread)
    whole = _whole(read(main), read)
    if not any(words[0] == "http" for words, _ in whole):
        yield (
            f"{path}: not looked at, because it has no 'http' block: what encloses it decides. "
            "Give the nginx.conf that includes it, or what 'nginx -T' prints."
        )
        return
    for what in unread:
        yield f"{path}: not looked at: {printable(what)}."
    for log, (whom, expected) in _LOGS.items():
        kept: dict[str, list[str]] = {}
        for server, place in _kept(whole, log, [_USUAL]):
            kept.setdefault(place, []).append(server)
        for place, servers in kept.items():
            yield printable(
                f"{path}: nginx logs {whom}, to {place} ({', '.join(dict.fromkeys(servers))}); "
                f"expected '{expected}'."
            )


def _reader(
    folder: Path, dump: dict[str, str], unread: list[str]
) -> Callable[[str], Iterator[_Block]]:
    """Return what reads files of nginx, from the disk or what `nginx -T` printed."""

    def read(pattern: str) -> Iterator[_Block]:
        place = str(folder / pattern)
        there = [one for one in dump if fnmatch(one, place)]
        found = there if dump else sorted(glob(place))  # noqa: PTH207  as nginx has it
        try:
            if not dump:
                next(Path(place).parent.iterdir(), None)  # a folder that is shut looks empty
        except FileNotFoundError:
            pass
        except OSError as error:
            unread.append(f"{place} ({error.strerror}{_AS_ROOT})")
        if not found and not has_magic(place):
            unread.append(f"{place} (no such file{_AS_ROOT})")
        for name in found:
            try:
                text = dump[name] if dump else Path(name).read_text("utf-8", "replace")
            except OSError as error:
                unread.append(f"{name} ({error.strerror}{_AS_ROOT})")
                continue
            if others := sorted({*_OTHERS_CODE.findall(text)}):
                unread.append(f"what {others[0]} does in {name}")
            yield _block(token[1] for token in _TOKEN.finditer(text))

    return read


def _block(tokens: Iterator[str]) -> _Block:
    """Read a block, to its brace or the end."""
    found: _Block = []
    words: list[str] = []
    for word in tokens:
        if word == "}":
            break
        if word in ("{", ";"):
            found.append((words or [""], _block(tokens) if word == "{" else None))
            words = []
        elif not word.startswith("#"):
            words.append(word.strip("\"'"))
    return found


def _whole(blocks: Iterable[_Block], read: Callable[[str], Iterator[_Block]]) -> _Block:
    """Put the files that are included where they are included."""
    found: _Block = []
    for words, inner in chain.from_iterable(blocks):
        if words[0] == "include":
            found += _whole(read(words[-1]), read)
        else:
            found.append((words, None if inner is None else _whole([inner], read)))
    return found


def _kept(
    block: _Block, log: str, places: list[str], server: str = ""
) -> Iterator[tuple[str, str]]:
    """Say which servers keep a log and where; a block without a line of its own takes over."""
    own = [words[1] for words, _ in block if words[0] == log and len(words) > 1]
    if own:
        places = [place for place in own if place != "/dev/null"]
        if log == "access_log" and "off" in own:
            places = []
        if server:
            yield from ((server, place) for place in places)
    for words, inner in block:
        if inner is None:
            continue
        if words[0] == "stream" and log == "access_log":
            yield from _kept(inner, log, [])  # as nginx has it there
        elif words == ["server"]:
            said = {one[0]: one[1] for one, _ in reversed(inner) if len(one) > 1}
            name = f"server {said.get('server_name', '_')}, port {said.get('listen', '80')}"
            if not any(one[0] == log for one, _ in inner):
                yield from ((name, place) for place in places)
            yield from _kept(inner, log, places, name)
        else:
            yield from _kept(inner, log, places, server)


def _of_caddyfile(path: Path) -> Iterator[str]:
    """Have Caddy say what a Caddyfile and all that it imports come to."""
    caddy = shutil.which("caddy")
    if caddy is None:
        yield (
            f"{path}: not looked at, because the program caddy is not here. Give what 'caddy "
            "adapt' prints where it is."
        )
        return
    words = [caddy, "adapt", "--adapter", "caddyfile", "--config", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        why = (done.stderr.strip().splitlines() or [""])[-1]
        yield f"{path}: not looked at, because 'caddy adapt' refuses it: {printable(why)}"
        return
    yield from _of_caddy(path, json.loads(done.stdout))


def _of_caddy(path: Path, config: dict[str, Any]) -> Iterator[str]:
    """Say which logs are kept by Caddy's own JSON, where its sinks choose among loggers."""
    apps = config.get("apps") or {}
    for app in sorted(apps.keys() - _CADDYS_APPS):
        yield f"{path}: not looked at: Caddy's app {printable(app)}."
    names: set[str] = set()
    for server in ((apps.get("http") or {}).get("servers") or {}).values():
        if (logs := server.get("logs")) is not None:
            mapped = [*(logs.get("logger_names") or {}).values()]
            names.update(
                chain.from_iterable([one] if isinstance(one, str) else one for one in mapped)
            )
            if not logs.get("skip_unmapped_hosts"):
                names.add(logs.get("default_logger_name") or "")
    of_people = {
        "access_log": {f"http.log.access.{name}".rstrip(".") for name in names},
        "error_log": {
            "http.handlers.reverse_proxy",
            "http.log.error",
            *(f"http.log.error.{name}".rstrip(".") for name in names),
        },
    }
    for name, sink in {"default": {}, **((config.get("logging") or {}).get("logs") or {})}.items():
        writer = sink.get("writer") or {}
        if writer.get("output") == "discard":
            continue
        place = writer.get("filename") or writer.get("address") or writer.get("output", "stderr")
        loud = {"tls.handshake"} if sink.get("level", "").lower() == "debug" else set()
        for log, (whom, _) in _LOGS.items():
            if any(_takes(sink, one) for one in of_people[log] | loud):
                yield printable(
                    f"{path}: Caddy logs {whom}, to {place} (log {name}); expected the option 'log "
                    "default' with 'exclude http.log http.handlers', and no other 'log'."
                )


def _takes(sink: dict[str, Any], logger: str) -> bool:
    """Return whether a sink takes what a logger writes, by the longest of the names given."""

    def longest(names: list[str] | None) -> int:
        return max(
            (len(one) for one in names or [] if f"{logger}.".startswith(f"{one}.")), default=0
        )

    taken, left = longest(sink.get("include")), longest(sink.get("exclude"))
    return taken > left if sink.get("include") else not left
