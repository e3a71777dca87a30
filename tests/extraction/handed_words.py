"""Words of the handed files and where they must be found, by the name that other tests know."""

from tools.located_words import bare, parse, split

__all__ = ["bare", "parse", "split"]
