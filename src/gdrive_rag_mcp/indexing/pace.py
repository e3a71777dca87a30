"""How fast an embedder is: measured in this run, else as an earlier run noted it."""


class Pace:
    """Characters a second, of as many calls side by side as the embedder is asked at once."""

    def __init__(self, noted: float | None, side_by_side: int) -> None:
        self._noted = noted
        self._side_by_side = side_by_side
        self._warm = False
        self._characters = 0
        self._seconds = 0.0

    def note(self, characters: int, seconds: float) -> None:
        """Take down how long a call took."""
        if self._warm:
            self._characters += characters
            self._seconds += seconds
        self._warm = True  # the first call loads the model, or opens the connection

    @property
    def measured(self) -> float | None:
        """The rate of this run; None before its second call."""
        return self._side_by_side * self._characters / self._seconds if self._seconds else None

    @property
    def characters_per_second(self) -> float | None:
        return self.measured or self._noted
