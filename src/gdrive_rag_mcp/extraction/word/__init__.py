"""Word files (DOCX): ECMA-376 part 1, WordprocessingML."""
