"""PowerPoint decks, slide by slide."""
