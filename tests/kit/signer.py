"""Somebody with an Ed25519 key of their own, who signs as releases are signed: by OpenSSL."""

import subprocess
from pathlib import Path

from tests.kit import needs


class Signer:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.private, self.public = folder / "private.pem", folder / "public.pem"
        self._run("genpkey", "-algorithm", "ed25519", "-out", str(self.private))
        self._run("pkey", "-in", str(self.private), "-pubout", "-out", str(self.public))

    def signature(self, path: Path) -> bytes:
        key = str(self.private)
        return self._run("pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", str(path))

    def sign(self, path: Path) -> None:
        """Write the signature of a file beside it, in base64."""
        signature = path.with_name(f"{path.name}.sig")
        signature.write_bytes(self._run("base64", "-A", told=self.signature(path)))

    def _run(self, *arguments: str, told: bytes | None = None) -> bytes:
        openssl = needs.program("openssl", "sudo apt-get install openssl")
        return subprocess.check_output([openssl, *arguments], input=told)
