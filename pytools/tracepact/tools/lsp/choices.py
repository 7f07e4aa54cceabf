"""The words of fixed lists, by the kind of name they are, with what each means."""

from tracepact.core import Aggregation, Each, MatcherKind, Projection
from tracepact.lang.explain import AGGREGATED, MATCHED, PROJECTED
from tracepact.tools.lsp.names import Kind

_EACH_WORDS = {
    Each.REF: "every reference event is asked",
    Each.PRED: "every predicted event is asked",
    Each.MATCHED: "every pair of a reference event and its partner is asked",
}

CHOICES: dict[Kind, dict[str, str]] = {
    Kind.AGGREGATION: {a.value: AGGREGATED[a] for a in Aggregation},
    Kind.PROJECTION: {p.value: PROJECTED[p] for p in Projection},
    Kind.MATCHER: {m.value: f"events are paired one to one, {MATCHED[m]}" for m in MatcherKind},
    Kind.EACH: {e.value: _EACH_WORDS[e] for e in Each},
    Kind.OPTION: {
        "search": "how far an edge of one event may be from the same edge of its partner",
        "overlap_reward": "how much a shared second lowers the cost of a pair",
    },
}
