"""Every command that writes, on a full or read-only disk and when files vanish: told, exit code 4, nothing lost."""

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from hostile.kills import JUDGE, WRITERS, act, contents, prepare

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="uses errors of Linux")]
QUICK = sorted(name for name, writer in WRITERS.items() if not writer.slow)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("inputs")
    prepare(home)
    return home


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(inputs, tmp_path / "here"))


def refused(name: str, folder: Path, number: int) -> None:
    """The command says what the system said of a place of its own, exits with 4 and leaves everything as it was."""
    writer, before = WRITERS[name], contents(folder)
    if writer.arguments is JUDGE:
        with pytest.raises(OSError, match=os.strerror(number)):
            act(writer.arguments, folder)
    else:
        outcome = act(writer.arguments, folder, writer.stdin)
        assert outcome.code == 4, outcome.err
        assert os.strerror(number) in outcome.err
        assert "Traceback" not in outcome.err
    kept = {place: data for place, data in contents(folder).items() if not place.startswith("out.making/")}
    assert kept == before, "what was made of batches so far is beside the place, and is gone on with"


@pytest.mark.parametrize("name", QUICK)
def test_a_full_disk_is_told_and_nothing_is_lost(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    refused(name, folder, errno.ENOSPC)


@pytest.mark.parametrize("name", QUICK)
def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_lost(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions do not bind every user, so the calls that make something refuse as those of a read-only disk."""
    kept = os.open, os.mkdir

    def no_new_file(path: str, flags: int, *more: int, **named: int) -> int:
        if flags & os.O_CREAT and str(path).startswith(str(folder)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return kept[0](path, flags, *more, **named)

    def no_new_folder(path: str, *more: int, **named: int) -> None:
        if str(Path(path).absolute()).startswith(str(folder)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        kept[1](path, *more, **named)

    monkeypatch.setattr(os, "open", no_new_file)
    monkeypatch.setattr(os, "mkdir", no_new_folder)
    refused(name, folder, errno.EROFS)


@pytest.mark.parametrize("name", QUICK)
def test_a_part_that_vanishes_before_its_place_is_told(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(source: str, *more: str) -> None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)

    monkeypatch.setattr(os, "rename", gone)
    monkeypatch.setattr(os, "replace", gone)
    monkeypatch.setattr("tracepact.files._exchange", gone)
    refused(name, folder, errno.ENOENT)
