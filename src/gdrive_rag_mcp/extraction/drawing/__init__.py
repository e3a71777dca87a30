"""DrawingML: what Word files, sheets and decks draw."""
