"""The ids of local files: one a path, and back."""

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.sources.local_names import file_id, folder_id, path_of

_NAMES = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.text(min_size=1, max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
).filter(lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b".."))
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map(lambda names: os.fsdecode(b"/".join(names)))


@given(_PATHS)
def test_an_id_leads_back_to_its_path(path: str) -> None:
    assert path_of(file_id(path)) == path


@given(_PATHS)
def test_an_id_survives_logs_normalisation_and_trimming(path: str) -> None:
    identifier = file_id(path)

    assert identifier.encode("utf-8")
    assert identifier.isprintable()
    assert unicodedata.normalize("NFC", identifier) == identifier == identifier.strip()


@given(_PATHS, _PATHS)
def test_two_paths_never_share_an_id(one: str, other: str) -> None:
    assert (file_id(one) == file_id(other)) == (one == other)


@given(_PATHS, _PATHS)
def test_a_folder_never_has_the_id_of_a_file(one: str, other: str) -> None:
    assert folder_id(one) != file_id(other)
    assert folder_id(one) != folder_id("")


@pytest.mark.parametrize("bad", ["", "/", "a//b", "a/", "./", "../a", "a/..", "a%2Fb", "a%00"])
def test_what_leads_out_of_the_root_is_no_id(bad: str) -> None:
    with pytest.raises(ValueError, match="no id of a local file"):
        path_of(bad)
