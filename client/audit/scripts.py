"""Scripts that the audit runs in the page."""

import json
from collections.abc import Sequence
from typing import Final

from deniable.client.audit.engine import AUDIT_FOLDER

# What a page may keep, which is compared.
KEPT: Final = """({
  ...Object.fromEntries(
    // Spread, a storage hides what has the name of one of its methods.
    Object.entries({ local: localStorage, session: sessionStorage }).map(([name, all]) => [
      name,
      Array.from({ length: all.length }, (_, at) => [all.key(at), all.getItem(all.key(at))]).sort(),
    ]),
  ),
  cookie: document.cookie,
  name: window.name,
})"""
# The names of all else that it can keep.
OTHERS: Final = """(async () => {
  const { caches, indexedDB, navigator: { serviceWorker, storage, storageBuckets } } = globalThis;
  const names = async (what, kept) => [...((await kept) ?? [])].map((name) => `${what} ${name}`);
  const files = async () => {
    const found = [];
    for await (const name of (await storage.getDirectory()).keys()) found.push(name);
    return found;
  };
  const workers = await serviceWorker?.getRegistrations();
  const shown = (await Promise.all((workers ?? []).map((one) => one.getNotifications()))).flat();
  return [
    await names("database", indexedDB.databases().then((all) => all.map(({ name }) => name))),
    await names("cache", caches?.keys()),
    await names("bucket", storageBuckets?.keys()),
    await names("file", storage?.getDirectory && files()),
    await names("worker", workers?.map(({ scope }) => scope)),
    await names("notification", shown.map(({ title }) => title)),
  ].flat();
})()"""
# A page asks nothing above a person's limit, and whoever audits would raise it.
FORGET: Final = (
    'localStorage.clear(); sessionStorage.clear(); window.name = "";'
    """localStorage.setItem("deniable:", '{"limit":1e12}')"""
)


def trap(binding: str, words: Sequence[int]) -> str:
    """Return `trap.js`, which hands out these words and tells the binding what the page does."""
    source = (AUDIT_FOLDER / "trap.js").read_text(encoding="utf-8")
    source = source.replace('"NAME"', json.dumps(binding))
    return source.replace('"WORDS"', json.dumps(json.dumps(list(words))))
