"""What a proxy writes down or hides of those who ask it, and what of its file nobody could read."""

import json
import re
import shutil
import stat
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
    r"""(#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]|(?:\$\{\w*\}|\\.|[^\s{};\\])+)"""
)
_DUMPED: Final = re.compile(r"(?m)^# configuration file (.+):$")
_OTHERS_CODE: Final = re.compile(r"(?m)^[ \t]*(\w{1,40}_by_lua\w{0,40}|perl|js_\w+)\s")
_USUAL: Final = "its usual file"
_AS_ROOT: Final = "; give what 'nginx -T' prints, run as root"

_MOST: Final = 2**23
"""Bytes of all that is read. A file counts for `_LEAST` at least: each may include many others."""
_LEAST: Final = 2**12
_TOO_MUCH: Final = f"expected at most {_MOST:,} bytes with all that is included, found more"
_CADDY: Final = 'ulimit -v 2097152; exec caddy adapt --adapter caddyfile --config "$1"'
_SECONDS: Final = 20

_LOGS: Final = {
    "access_log": ("requests, which say who answers", "access_log off;"),
    "error_log": ("errors, with the address of who met them", "error_log /dev/null;"),
}
_FORWARDED: Final = ["proxy_set_header", "x-forwarded-for"]
_CADDYS_APPS: Final = {"events", "http", "pki", "tls"}


def of_proxy(path: Path) -> Iterator[str]:
    """Say which logs a proxy keeps by its configuration, and what of it could not be looked at."""
    try:
        yield from _of(path, _read(path))
    except RecursionError:
        yield f"{path}: not looked at: hundreds of blocks stand in each other, expected dozens."
    except _UnreadError as error:
        yield f"{path}: not looked at: {error}."


class _UnreadError(Exception):
    """What was expected of a configuration and what was found, in a sentence without its stop."""


def _read(path: Path) -> str:
    """Read a file; a pipe or a device could go on for ever."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise _UnreadError("expected a file, found a pipe, a device or a folder")
    with path.open("rb") as file:
        content = file.read(_MOST + 1)
    if len(content) > _MOST:
        raise _UnreadError(_TOO_MUCH)
    return content.decode(errors="replace")


def _of(path: Path, text: str) -> Iterator[str]:
    if text.lstrip().startswith("{") and text.rstrip().endswith("}"):
        try:
            yield from _of_caddy(path, json.loads(text))
            return
        except ValueError:
            pass  # a Caddyfile that begins with its options
        except (AttributeError, TypeError):
            raise _UnreadError("expected what 'caddy adapt' prints, found other JSON") from None
    if re.search(
        r"(?m)(^|[;}])[ \t]*((http|events|server)\s*\{|include\s|location\s[^;{]*\{)", text
    ):
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
    said = [[word.lower() for word in words[:2]] for words in _lines(whole)]
    if "proxy_pass" in {one[0] for one in said} and _FORWARDED not in said:
        yield (
            f"{path}: nginx does not say who asks, so that all people have one limit together; "
            "expected 'proxy_set_header X-Forwarded-For $remote_addr;'."
        )


def _lines(block: _Block) -> Iterator[list[str]]:
    """Walk over all lines of a block."""
    for words, inner in block:
        yield words
        yield from _lines(inner or [])


def _reader(
    folder: Path, dump: dict[str, str], unread: list[str]
) -> Callable[[str], Iterator[_Block]]:
    """Return what reads files of nginx, from the disk or what `nginx -T` printed."""
    inside: list[str] = []  # as long as what a file includes is read, since it is read in between
    left = _MOST

    def read(pattern: str) -> Iterator[_Block]:
        nonlocal left
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
            if name in inside:
                unread.append(f"{name}, which includes itself")
                continue
            try:
                text = dump[name] if dump else _read(Path(name))
            except OSError as error:
                unread.append(f"{name} ({error.strerror}{_AS_ROOT})")
                continue
            except _UnreadError as error:
                unread.append(f"{name} ({error})")
                continue
            left -= max(len(text), _LEAST)
            if left < 0:
                raise _UnreadError(_TOO_MUCH)
            if others := sorted({*_OTHERS_CODE.findall(text)}):
                unread.append(f"what {others[0]} does in {name}")
            inside.append(name)
            yield _block(token[1] for token in _TOKEN.finditer(text))
            inside.pop()

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
    if shutil.which("caddy") is None:
        yield (
            f"{path}: not looked at, because the program caddy is not here. Give what 'caddy "
            "adapt' prints where it is."
        )
        return
    words = ["/bin/sh", "-c", _CADDY, "sh", str(path)]
    try:
        done = subprocess.run(  # noqa: S603
            words, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise _UnreadError(f"'caddy adapt' was not done after {_SECONDS} seconds") from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
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
