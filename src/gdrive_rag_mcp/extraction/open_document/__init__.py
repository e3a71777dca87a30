"""OpenDocument: texts, sheets and presentations ([ODF] 1.3)."""
