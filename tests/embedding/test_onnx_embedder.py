"""The embedded model: what only it promises."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.model_folder import (
    CONFIG_FILE,
    UNPACKED_FILES,
    is_complete,
)
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.protocols import Embedder, Vectors

PASSAGES = {
    "leave": "An employee may take up to twelve weeks of unpaid leave in a calendar year.",
    "deposit": "Die Kaution beträgt zwei Monatsmieten und ist in drei Wochen zu zahlen.",
    "maternity": "근로자는 출산 전후로 90일의 휴가를 쓸 수 있고 그중 60일은 유급이다.",
    "overtime": "Giờ làm thêm vào ngày lễ được trả ít nhất bằng ba lần tiền lương giờ.",
    "insurance": "公司应当在合同终止后十五日内办理社会保险关系转移手续。",
    "backup": "Backups run every night at two and are kept for thirty days.",
    "parking": "Besucher parken ihre Fahrzeuge auf der Nordseite des Gebäudes.",
    "coffee": "The coffee machine on the third floor is cleaned every Friday.",
    "travel": "출장 경비는 돌아온 날부터 7일 안에 영수증과 함께 청구해야 한다.",
    "password": "Mật khẩu phải có ít nhất mười hai ký tự và được đổi mỗi năm một lần.",
    "fire": "发生火灾时，请使用楼梯撤离，不要乘坐电梯。",
    "invoice": "Invoices are due within fourteen days of receipt without any discount.",
}
SAME_LANGUAGE = {
    "How long can I stay away from work without pay?": "leave",
    "How often is the data saved?": "backup",
    "When does a bill have to be paid?": "invoice",
    "Wo kann ein Gast sein Auto abstellen?": "parking",
    "Wie viel Sicherheit verlangt der Vermieter?": "deposit",
    "아이를 낳으면 며칠을 쉴 수 있나요?": "maternity",
    "출장 비용은 언제까지 청구해야 하나요?": "travel",
    "Mã bảo mật phải dài bao nhiêu?": "password",
    "Làm việc ngày lễ thì được trả bao nhiêu tiền?": "overtime",
    "着火的时候可以坐电梯吗？": "fire",
    "员工离职后多久转社保？": "insurance",
}
OTHER_LANGUAGE = {
    "How much deposit does a tenant pay?": "deposit",
    "How much does the landlord want as security?": "deposit",
    "May I use the lift when there is a fire?": "fire",
    "When must travel expenses be claimed?": "travel",
    "How many days of maternity leave are there?": "maternity",
    "Wie oft werden die Daten gesichert?": "backup",
    "Wie lange darf ich ohne Gehalt freinehmen?": "leave",
    "Wie viel wird für Überstunden an Feiertagen bezahlt?": "overtime",
    "비밀번호는 몇 글자 이상이어야 하나요?": "password",
    "백업은 며칠 동안 보관되나요?": "backup",
    "Hóa đơn phải được thanh toán trong bao lâu?": "invoice",
    "Khi nào phải nộp hóa đơn công tác?": "travel",
    "客人的车停在哪里？": "parking",
    "咖啡机什么时候清洗？": "coffee",
}


@pytest.fixture(scope="module")
def passage_vectors(real_embedder: Embedder) -> Vectors:
    return real_embedder.embed(list(PASSAGES.values()), role="document")


def _rank(embedder: Embedder, passages: Vectors, question: str, topic: str) -> int:
    cosines = passages @ embedder.embed([question], role="query")[0]
    return int((cosines >= cosines[list(PASSAGES).index(topic)]).sum())


def test_nearly_every_question_is_nearest_to_its_answer_in_the_same_language(
    real_embedder: Embedder, passage_vectors: Vectors
) -> None:
    asked = SAME_LANGUAGE.items()
    ranks = {question: _rank(real_embedder, passage_vectors, question, t) for question, t in asked}

    assert sum(rank == 1 for rank in ranks.values()) >= 0.9 * len(ranks), ranks


def test_most_questions_have_their_answer_in_another_language_among_the_first_three(
    real_embedder: Embedder, passage_vectors: Vectors
) -> None:
    """The model prefers passages of the question's language, so that not all of them can be."""
    asked = OTHER_LANGUAGE.items()
    ranks = {question: _rank(real_embedder, passage_vectors, question, t) for question, t in asked}

    assert sum(rank <= 3 for rank in ranks.values()) >= 0.75 * len(ranks), ranks


def test_a_question_and_a_document_of_the_same_words_have_different_vectors(
    real_embedder: Embedder,
) -> None:
    text = ["the deposit is two months' rent"]
    query = real_embedder.embed(text, role="query")[0]
    document = real_embedder.embed(text, role="document")[0]

    assert 0.8 < query @ document < 0.999


def test_the_number_of_threads_does_not_change_a_bit(model_folder: Path) -> None:
    texts = [passage * repeats for repeats in (1, 3) for passage in PASSAGES.values()]
    one = OnnxEmbedder(model_folder, threads=1).embed(texts, role="document")
    three = OnnxEmbedder(model_folder, threads=3).embed(texts, role="document")

    assert np.array_equal(one, three)


def test_callers_in_several_threads_do_not_disturb_each_other(model_folder: Path) -> None:
    embedder = OnnxEmbedder(model_folder, threads=1)
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda text: embedder.embed([text], role="document")[0], PASSAGES.values())
        )

    assert np.array_equal(np.stack(found), embedder.embed(list(PASSAGES.values()), role="document"))


def test_a_long_text_lies_between_its_parts(real_embedder: Embedder) -> None:
    rent = "The tenant pays the rent on the third working day of each month. " * 45
    bees = "Bees collect nectar from flowers and turn it into honey in the hive. " * 45
    whole, first, second = real_embedder.embed([rent + bees, rent, bees], role="document")

    assert first @ second < min(whole @ first, whole @ second)


def test_the_limits_of_the_model_are_known_before_it_is_loaded(model_folder: Path) -> None:
    embedder = OnnxEmbedder(model_folder)

    assert (embedder.max_tokens, embedder.identity.dimensions) == (512, 384)
    assert embedder.identity.model == "multilingual-e5-small"
    assert embedder._loaded is None


def _copy(folder: Path, to: Path) -> Path:
    """A folder with links to the same files, each of which a test can replace."""

    def link(source: str, target: str) -> None:
        Path(target).symlink_to(source)

    shutil.copytree(folder, to, copy_function=link)
    return to


def _replace(file: Path, content: bytes) -> None:
    file.unlink()
    file.write_bytes(content)


def test_dimensions_that_the_model_does_not_have_are_refused(model_folder: Path) -> None:
    with pytest.raises(SettingsError, match=r"is 768, but .* have 384"):
        OnnxEmbedder(model_folder, dimensions=768).embed(["text"], role="query")


@pytest.mark.parametrize("name", UNPACKED_FILES)
def test_a_file_that_changed_since_it_was_unpacked_is_refused(
    model_folder: Path, tmp_path: Path, name: str
) -> None:
    folder = _copy(model_folder, tmp_path / "model")
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    _replace(folder / name, bytes(content))

    with pytest.raises(EmbedderUnavailableError, match=rf"{name} .*damaged") as refused:
        OnnxEmbedder(folder).embed(["text"], role="query")
    assert "delete" in refused.value.hint
    assert "if GDRIVE_RAG_EMBED_MODEL_PATH names it, it is not" in refused.value.hint


@pytest.mark.parametrize("name", [*UNPACKED_FILES, CONFIG_FILE])
def test_a_file_that_is_gone_since_it_was_unpacked_is_named(
    model_folder: Path, tmp_path: Path, name: str
) -> None:
    folder = _copy(model_folder, tmp_path / "model")
    (folder / name).unlink()

    assert not is_complete(folder)
    with pytest.raises(EmbedderUnavailableError, match=name):
        OnnxEmbedder(folder).embed(["text"], role="query")


def _cut_off(file: Path) -> None:
    content = file.read_bytes()
    _replace(file, content[: len(content) // 2])


@pytest.mark.parametrize("spoil", [Path.unlink, _cut_off])
@pytest.mark.parametrize("name", UNPACKED_FILES)
def test_a_file_that_is_spoiled_between_its_check_and_its_use_is_an_outage_and_no_bug(
    model_folder: Path, tmp_path: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    folder = _copy(model_folder, tmp_path / "model")
    embedder = OnnxEmbedder(folder)
    assert embedder.identity.model
    spoil(folder / name)

    with pytest.raises(EmbedderUnavailableError, match=re.escape(str(folder))):
        embedder.embed(["Who signs the lease?"], role="query")


def test_files_that_are_cut_off_under_a_running_process_are_told_and_do_not_end_it(
    model_folder: Path, tmp_path: Path
) -> None:
    folder = _copy(model_folder, tmp_path / "model")
    for name in UNPACKED_FILES:
        _replace(folder / name, (model_folder / name).read_bytes())
    code = (
        "import os, sys; from pathlib import Path; import numpy as np\n"
        "from gdrive_rag_mcp.embedding.model_folder import UNPACKED_FILES\n"
        "from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder\n"
        "from gdrive_rag_mcp.errors import EmbedderUnavailableError\n"
        "folder = Path(sys.argv[1]); embedder = OnnxEmbedder(folder)\n"
        "before = embedder.embed(['Who signs the lease?'], role='query')\n"
        "for name in UNPACKED_FILES:\n"
        "    os.truncate(folder / name, 4096)\n"
        "try:\n"
        "    after = embedder.embed(['Who signs the lease?'], role='query')\n"
        "except EmbedderUnavailableError as error:\n"
        "    print(error)\n"
        "else:\n"
        "    print(np.array_equal(before, after))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "cut off" in ended.stdout


@pytest.mark.parametrize("record", [None, 1, {"weights": "a", "files": {}}])
def test_unpacked_files_that_nothing_vouches_for_are_refused(
    model_folder: Path, tmp_path: Path, record: object
) -> None:
    folder = _copy(model_folder, tmp_path / "model")
    config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    del config["gdrive_rag_mcp"]
    changed = config if record is None else {**config, "gdrive_rag_mcp": record}
    _replace(folder / CONFIG_FILE, json.dumps(changed).encode())

    with pytest.raises(EmbedderUnavailableError, match=r"config\.json"):
        OnnxEmbedder(folder).embed(["text"], role="query")
