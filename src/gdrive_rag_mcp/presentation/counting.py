"""Numbers with their nouns: `1 chunk`, `2 chunks`."""


def counted(number: int, noun: str) -> str:
    """A number and what it counts; of several words the last one is the noun: `API call`."""
    return f"{number} {noun if number == 1 else f'{noun}s'}"
