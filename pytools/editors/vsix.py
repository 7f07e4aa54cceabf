"""Builds the VS Code extension into one file: `make vsix`; needs npm for the package that speaks to the server."""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

FOLDER = Path(__file__).parent / "vscode"
LICENSE = FOLDER.parents[2] / "LICENSE"
SHIPPED = ("package.json", "extension.js", "language-configuration.json", "README.md", "syntaxes")
_TYPES = {
    ".json": "application/json",
    ".js": "application/javascript",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".vsixmanifest": "text/xml",
}
_EPOCH = (1980, 1, 1, 0, 0, 0)


def build(target: Path, modules: Path | None = None) -> Path:
    """Write the extension to a file; `modules` is a folder of installed packages, by default npm installs them."""
    with tempfile.TemporaryDirectory() as scratch:
        if modules is None:
            modules = _installed(Path(scratch))
        files = dict(sorted({**_own(), **_packages(modules)}.items()))
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, "extension.vsixmanifest", _manifest().encode())
            _add(archive, "[Content_Types].xml", _content_types(files).encode())
            for name, path in files.items():
                _add(archive, f"extension/{name}", path.read_bytes())
    return target


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """The same bytes give the same archive, whenever it is built."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _own() -> dict[str, Path]:
    """The extension's files by their names in the package."""
    found = {"LICENSE.txt": LICENSE}
    for name in SHIPPED:
        path = FOLDER / name
        inside = path.rglob("*") if path.is_dir() else [path]
        found |= {str(p.relative_to(FOLDER).as_posix()): p for p in inside if p.is_file()}
    return found


def _installed(scratch: Path) -> Path:
    """The packages that the extension needs to run, installed into a scratch folder."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(FOLDER / name, scratch / name)
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is not installed; it brings the package `vscode-languageclient`")
    subprocess.run([npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=scratch, check=True)
    return scratch / "node_modules"


def _packages(modules: Path) -> dict[str, Path]:
    """The files of the installed packages that the extension needs to run, and of those that these need."""
    needed, wanted = {}, list(json.loads((FOLDER / "package.json").read_text())["dependencies"])
    while wanted:
        name = wanted.pop()
        if name not in needed:
            needed[name] = modules / name
            wanted += json.loads((modules / name / "package.json").read_text()).get("dependencies", {})
    return {
        f"node_modules/{name}/{path.relative_to(folder).as_posix()}": path
        for name, folder in needed.items()
        for path in _run_time(folder)
    }


def _run_time(folder: Path) -> Iterator[Path]:
    """What a package needs to run: no types, no maps."""
    return (p for p in folder.rglob("*") if p.is_file() and not p.name.endswith((".d.ts", ".map")))


def _manifest() -> str:
    """What an editor reads to install the extension."""
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={quoteattr(package["name"])} Version={quoteattr(package["version"])}
      Publisher={quoteattr(package["publisher"])} />
    <DisplayName>{escape(package["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(package["description"])}</Description>
    <Categories>{escape(",".join(package["categories"]))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])} />
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
"""


def _content_types(files: dict[str, Path]) -> str:
    """The type of every file in the package, by its ending or, without one, by its name."""
    endings = sorted({Path(name).suffix for name in files if Path(name).suffix} | {".vsixmanifest"})
    rows = [f'  <Default Extension="{e}" ContentType="{_TYPES.get(e, "application/octet-stream")}" />' for e in endings]
    rows += [
        f'  <Override PartName={quoteattr(f"/extension/{name}")} ContentType="text/plain" />'
        for name in files
        if not Path(name).suffix
    ]
    body = "\n".join(rows)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\n{body}\n</Types>\n'
    )


if __name__ == "__main__":
    print(f"{build(Path(sys.argv[1]))}: written")
