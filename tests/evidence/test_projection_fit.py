"""A projection finds the directions in which what means the same is near, where there are such."""

import numpy as np
import numpy.typing as npt
import pytest

from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.evidence.late_loss import Example, Parameters, loss_of
from gdrive_rag_mcp.evidence.projection_fit import FEWEST, Learned, fit_projection, untrained

STATES, MEANING, LOUD, WIDTH = 384, 6, 3, 8
FILLER = STATES - 1
TURNED = np.linalg.qr(np.random.default_rng(1).standard_normal((STATES, STATES)))[0]
Floats = npt.NDArray[np.floating]


def token_states(draw: np.random.Generator, meanings: Floats, *, filler: bool = False) -> Floats:
    """Tokens whose meaning lies in six directions, beside three that are loud and say nothing."""
    states = draw.standard_normal((len(meanings), STATES)) * 0.1
    states[:, :MEANING] += meanings
    states[:, MEANING : MEANING + LOUD] *= 30
    states[:, FILLER] = 2 if filler else -2
    return np.asarray(states @ TURNED + 1, np.float32)


def asked(draw: np.random.Generator) -> Example:
    """Four tokens that the first passage means as well, and three that mean nothing to anybody."""
    meanings = draw.standard_normal((10, 4, MEANING))
    question = np.concatenate(
        [
            token_states(draw, meanings[0]),
            token_states(draw, draw.standard_normal((3, MEANING)), filler=True),
        ]
    )
    passages = meanings.reshape(5, 8, MEANING)
    return Example(
        question,
        np.ones(len(question), np.float32),
        tuple(token_states(draw, one) for one in passages),
        gold=1,
    )


def found_first(examples: list[Example], learned: Learned) -> float:
    """The share of questions whose answer has the highest score."""
    return float(np.mean([scores(one, learned).argmax() == 0 for one in examples]))


def scores(example: Example, learned: Learned) -> Floats:
    question = example.question - learned.centre
    weights = np.log1p(np.exp(question @ learned.importance + learned.importance_bias))
    rows = unit(question @ learned.projection)
    nearest = [
        (rows @ unit((one - learned.centre) @ learned.projection).T).max(axis=1)
        for one in example.passages
    ]
    return np.array(nearest) @ weights


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


@pytest.fixture(scope="module")
def world() -> list[Example]:
    draw = np.random.default_rng(3)
    return [asked(draw) for _ in range(1500)]


@pytest.fixture(scope="module")
def learned(world: list[Example], start: Learned) -> Learned:
    return fit_projection(world[:1200], start)


@pytest.fixture(scope="module")
def start(world: list[Example]) -> Learned:
    return untrained(np.concatenate([one.question for one in world]), WIDTH)


def test_the_directions_of_meaning_are_learned(
    world: list[Example], start: Learned, learned: Learned
) -> None:
    assert found_first(world[1200:], start) < 0.35
    assert found_first(world[1200:], learned) > 0.9
    strength = np.linalg.norm(TURNED @ learned.projection, axis=1)
    assert strength[:MEANING].min() > 5 * strength[MEANING:FILLER].max()


def test_tokens_that_tell_nothing_matter_less(world: list[Example], learned: Learned) -> None:
    question = world[-1].question - learned.centre
    logits = question @ learned.importance + learned.importance_bias
    assert logits[:4].min() > logits[4:].max()


def test_the_gradient_is_that_of_the_loss() -> None:
    draw = np.random.default_rng(5)
    example = Example(
        draw.standard_normal((5, 9)),
        draw.random(5) + 0.5,
        tuple(draw.standard_normal((count, 9)) for count in (4, 1, 6, 3)),
        gold=2,
    )
    values = {
        "projection": draw.standard_normal((9, 3)),
        "importance": draw.standard_normal(9),
        "importance_bias": np.array(0.3),
        "sharpness": np.array(3.0),
        "slope": np.array(2.0),
        "offset": np.array(-1.0),
    }
    _, gradient = loss_of(example, Parameters(**values))

    assert gradient.keys() == values.keys()
    for name, value in values.items():
        for place in np.ndindex(value.shape):
            step = np.zeros(value.shape)
            step[place] = 1e-6
            high, low = (
                loss_of(example, Parameters(**{**values, name: value + sign * step}))[0]
                for sign in (1, -1)
            )
            assert np.asarray(gradient[name])[place] == pytest.approx(
                (high - low) / 2e-6, rel=1e-4, abs=1e-7
            )


def test_nothing_is_left_to_chance(world: list[Example], start: Learned) -> None:
    first, again = (fit_projection(world[:FEWEST], start) for _ in range(2))

    assert first.projection.tobytes() == again.projection.tobytes()
    assert first.importance.tobytes() == again.importance.tobytes()
    assert first.importance_bias == again.importance_bias


def test_what_is_learned_is_single_precision(learned: Learned) -> None:
    assert {learned.centre.dtype, learned.projection.dtype, learned.importance.dtype} == {
        np.dtype(np.float32)
    }
    assert learned.projection.shape == (STATES, WIDTH)


def test_the_start_is_where_states_differ_most() -> None:
    draw = np.random.default_rng(6)
    states = draw.standard_normal((500, 10)) * np.array([9, 1, 1, 8, 1, 1, 1, 1, 1, 1]) + 2

    start = untrained(states, 2)

    assert np.abs(start.projection[[0, 3]]).sum() > 10 * np.abs(start.projection[1]).sum()
    assert np.allclose(start.projection.T @ start.projection, np.eye(2), atol=1e-5)
    assert np.allclose(start.centre, states.mean(axis=0), atol=1e-5)


def test_too_few_questions_or_tokens_are_named(world: list[Example], start: Learned) -> None:
    with pytest.raises(QuestionSetError, match=f"{FEWEST - 1} questions are too few"):
        fit_projection(world[: FEWEST - 1], start)
    with pytest.raises(QuestionSetError, match="383 tokens are too few"):
        untrained(np.zeros((STATES - 1, STATES), np.float32))
