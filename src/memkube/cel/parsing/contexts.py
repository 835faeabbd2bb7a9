"""Call stacks of grammar rules during prediction, merged into graphs as in ANTLR (its ``PredictionContext``)."""

from typing import Final

EMPTY_RETURN: Final = 1 << 30


class Context:
    """Possible call stacks of a grammar rule (ANTLR's PredictionContext).

    `returns` are the parser states at which a calling rule may continue when the rule ends, in ascending order.
    `callers` has the context of the calling rule for each of these states. Equal contexts are the same object.
    """

    __slots__ = ("callers", "returns")

    def __init__(self, returns: tuple[int, ...], callers: tuple["Context", ...]) -> None:
        self.returns = returns
        self.callers = callers

    @property
    def may_be_empty(self) -> bool:
        """True if the grammar rule may have been entered without a caller."""
        return self.returns[-1] == EMPTY_RETURN


EMPTY: Final = Context((EMPTY_RETURN,), ())


class Contexts:
    """Creates and caches contexts (call stacks of grammar rules), so that equal contexts are the same object."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], Context] = {}
        self._merged: dict[tuple[int, int, bool], Context] = {}

    def pushed(self, caller: Context, follow: int) -> Context:
        """Return the context of a grammar rule that is entered from another rule, whose context is `caller`.

        `follow` is the state at which that other rule continues once the entered rule ends.
        """
        return self._unique((follow,), (caller,))

    def _unique(self, returns: tuple[int, ...], callers: tuple[Context, ...]) -> Context:
        if returns == (EMPTY_RETURN,):
            return EMPTY
        key = (*returns, -1, *map(id, callers))
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Context(returns, callers)
        return found

    def merged(self, first: Context, second: Context, wildcard: bool) -> Context:
        """Return the context with the call stacks of both contexts, as ANTLR's ``PredictionContext.merge`` does.

        EMPTY is the context of a rule that no other rule has called. If `wildcard` is true, it stands for any call
        stack, so that the result is EMPTY if `first` or `second` is EMPTY.
        """
        if first is second:
            return first
        if wildcard and (first is EMPTY or second is EMPTY):
            return EMPTY
        key = (id(first), id(second), wildcard)
        found = self._merged.get(key)
        if found is None:
            found = self._merged[key] = self._merge(first, second, wildcard)
        return found

    def _merge(self, first: Context, second: Context, wildcard: bool) -> Context:
        callers: dict[int, Context] = {}
        for context in (first, second):
            # EMPTY_RETURN, the state for "no caller", is the last of `returns`, because it is the largest state. It has
            # no item in `callers`, so EMPTY is appended for it.
            for state, caller in zip(context.returns, (*context.callers, EMPTY), strict=False):
                known = callers.get(state)
                callers[state] = caller if known is None else self.merged(known, caller, wildcard)
        returns = tuple(sorted(callers))
        return self._unique(returns, tuple(callers[state] for state in returns if state != EMPTY_RETURN))
