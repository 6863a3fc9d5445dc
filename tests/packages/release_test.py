# SPDX-License-Identifier: BSD-3-Clause
"""The papers of a release: checksums that sha256sum accepts, signatures that notice a change, the Spack recipe, the SBOM."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import release_papers

SOURCE = Path(__file__).resolve().parents[2]


def status(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, **options).returncode


class Papers(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="oshen-release-")
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.folder = self.place / "files"
        self.folder.mkdir()
        (self.folder / "pypi").mkdir()
        for name in ("oshen-0.1.0.tar.gz", "oshen_0.1.0-1_amd64.deb", "pypi/oshen-0.1.0.tar.gz"):
            (self.folder / name).write_text(f"the contents of {name}\n")

    def test_checksums(self):
        release_papers.write_sums(self.folder)
        self.assertEqual(status("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.folder), 0)
        self.assertEqual(len((self.folder / "SHA256SUMS").read_text().splitlines()), 3)
        (self.folder / "oshen-0.1.0.tar.gz").write_text("other contents\n")
        self.assertNotEqual(status("sha256sum", "--check", "SHA256SUMS", cwd=self.folder), 0)

    @unittest.skipUnless(shutil.which("ssh-keygen"), "no ssh-keygen")
    def test_a_signature_by_ssh(self):
        key, sums = self.place / "key", release_papers.write_sums(self.folder)
        self.assertEqual(status("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key), 0)
        signature = release_papers.sign(sums, str(key))
        signers = self.place / "allowed_signers"
        signers.write_text(f"oshen {key.with_suffix('.pub').read_text()}")

        def verified():
            with open(sums) as text:
                return status("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "oshen", "-n", release_papers.NAMESPACE,
                              "-s", signature, stdin=text) == 0

        self.assertTrue(verified())
        sums.write_text(sums.read_text().replace("oshen", "0shen", 1))
        self.assertFalse(verified())

    @unittest.skipUnless(shutil.which("gpg"), "no gpg")
    def test_a_signature_by_gpg(self):
        home = self.place / "gpg"
        home.mkdir(mode=0o700)
        os.environ["GNUPGHOME"] = str(home)
        self.addCleanup(os.environ.pop, "GNUPGHOME")
        self.addCleanup(status, "gpgconf", "--kill", "all")
        key = ("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "release@example.org", "ed25519", "sign")
        self.assertEqual(status(*key), 0)
        sums = release_papers.write_sums(self.folder)
        signature = release_papers.sign(sums, "release@example.org")
        self.assertEqual(status("gpg", "--batch", "--verify", signature, sums), 0)
        sums.write_text("changed\n")
        self.assertNotEqual(status("gpg", "--batch", "--verify", signature, sums), 0)

    def test_a_key_that_does_not_exist(self):
        os.environ["GNUPGHOME"] = str(self.place)
        self.addCleanup(os.environ.pop, "GNUPGHOME")
        with self.assertRaisesRegex(SystemExit, "cannot sign SHA256SUMS with 'none@example.org'.*expected the file of an ssh key"):
            release_papers.sign(release_papers.write_sums(self.folder), "none@example.org")

    def test_recipes(self):
        lines = {".py": 'version("0.1.0", sha256="12ab")', ".eb": "checksums = ['12ab']", ".yaml": "  sha256: 12ab"}
        recipes = sorted((SOURCE / "packaging").glob("*/*.*"))
        self.assertEqual({path.suffix for path in recipes}, set(lines))
        for path in recipes:
            filled = release_papers.fill_recipe(path.name, path.read_text(), "0.1.0", "12ab")
            self.assertEqual(filled.count("12ab"), 1)
            self.assertIn(lines[path.suffix], filled)
            self.assertEqual(release_papers.fill_recipe(path.name, filled, "0.1.0", "12ab"), filled)  # also if it is filled already
            if path.suffix != ".yaml":
                compile(filled, path.name, "exec")
        with self.assertRaisesRegex(SystemExit, r"package.py names the archive of 9.9.9 0 times: expected once"):
            release_papers.fill_recipe("package.py", recipes[-1].read_text(), "9.9.9", "12ab")

    def test_a_change_after_the_release_is_noticed(self):
        archive = self.folder / "oshen-0.1.0.tar.gz"
        recipe = (SOURCE / "packaging/spack/package.py").read_text()
        (self.folder / "package.py").write_text(release_papers.fill_recipe("package.py", recipe, "0.1.0", release_papers.sha256(archive)))
        release_papers.write_components(self.folder, "0.1.0", "c0ffee", 1_700_000_000)
        sums = release_papers.write_sums(self.folder)
        if shutil.which("ssh-keygen"):
            self.assertEqual(status("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.place / "key"), 0)
            release_papers.sign(sums, str(self.place / "key"))
        release_papers.check(self.folder, "0.1.0")
        (self.folder / "more").write_text("more\n")
        with self.assertRaisesRegex(SystemExit, "more is not in SHA256SUMS"):
            release_papers.check(self.folder, "0.1.0")
        (self.folder / "more").unlink()
        filled = (self.folder / "package.py").read_text()
        (self.folder / "package.py").write_text(filled + "# more\n")
        with self.assertRaisesRegex(SystemExit, "package.py is not the file that was listed"):
            release_papers.check(self.folder, "0.1.0")
        (self.folder / "package.py").write_text(filled)
        archive.write_text("changed\n")
        with self.assertRaisesRegex(SystemExit, "oshen-0.1.0.tar.gz is not the file that was listed"):
            release_papers.check(self.folder, "0.1.0")
        release_papers.write_sums(self.folder)  # now all but the list of components, the recipe and the signature agree
        with self.assertRaisesRegex(SystemExit, "oshen-0.1.0.tar.gz is not the file that was listed"):
            release_papers.check(self.folder, "0.1.0")
        release_papers.write_components(self.folder, "0.1.0", "c0ffee", 1_700_000_000)
        release_papers.write_sums(self.folder)
        with self.assertRaisesRegex(SystemExit, "package.py has not the checksum of the archive"):
            release_papers.check(self.folder, "0.1.0")
        (self.folder / "package.py").write_text(release_papers.fill_recipe("package.py", recipe, "0.1.0", release_papers.sha256(archive)))
        release_papers.write_sums(self.folder)
        if shutil.which("ssh-keygen"):
            with self.assertRaisesRegex(SystemExit, "the signature is not that of SHA256SUMS"):
                release_papers.check(self.folder, "0.1.0")
            release_papers.sign(sums, str(self.place / "key"))
        release_papers.check(self.folder, "0.1.0")

    def test_components(self):
        made = [release_papers.write_components(self.folder, "0.1.0", "c0ffee", 1_700_000_000).read_text() for _ in range(2)]
        self.assertEqual(made[0], made[1])
        listed = json.loads(made[0])
        self.assertEqual((listed["bomFormat"], listed["specVersion"]), ("CycloneDX", "1.6"))
        by_name = {component["name"]: component for component in listed["components"]}
        self.assertTrue({"CLI11", "nlohmann-json", "libc++", "libfabric", "ucx", "fftw", "numpy"} <= set(by_name))
        self.assertEqual(by_name["libc++"]["licenses"], [{"expression": "Apache-2.0 WITH LLVM-exception"}])
        archive = hashlib.sha256((self.folder / "oshen-0.1.0.tar.gz").read_bytes()).hexdigest()
        self.assertEqual(by_name["oshen-0.1.0.tar.gz"]["hashes"], [{"alg": "SHA-256", "content": archive}])


if __name__ == "__main__":
    unittest.main()
