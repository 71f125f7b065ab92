"""Texts with slips of the pen in them, to ask what a reader makes of them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

LIKELY = st.text("0123456789-,;/#=@. \n\"'[]{}abep", max_size=2)


def damaged_texts(texts: SearchStrategy[str] | str) -> SearchStrategy[str]:
    """Draw one of these `texts`, or the one given, with one to three slips in it.

    Here and there some characters are left out, written twice, or replaced; or lines are left out, written twice, or
    put in the place of others. A slip may happen to change nothing.

    >>> from hypothesis import given, settings
    >>> @settings(max_examples=5)
    ... @given(damaged_texts("cost = 3"))
    ... def a_damaged_change_is_still_a_text(text):
    ...     assert isinstance(text, str)
    >>> a_damaged_change_is_still_a_text()
    """
    if isinstance(texts, str):
        texts = st.just(texts)
    return _slips_in_characters(texts) | _slips_in_lines(texts)


@st.composite
def _slips_in_characters(draw: DrawFn, texts: SearchStrategy[str]) -> str:
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 5)))
        put = draw(st.sampled_from(["", text[start:end] * 2]) | LIKELY | st.text(max_size=2))
        text = text[:start] + put + text[end:]
    return text


@st.composite
def _slips_in_lines(draw: DrawFn, texts: SearchStrategy[str]) -> str:
    lines = draw(texts).splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        if lines:
            first, second = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
            lines[first : first + 1] = draw(st.sampled_from([[], [lines[first]] * 2, [lines[second]]]))
    return "".join(lines)
