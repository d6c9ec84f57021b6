"""How the metrics overlap: their correlations as a clustered heat map."""

from __future__ import annotations

from itertools import combinations

from simpatico.charts.forest import kind_tag
from simpatico.charts.heatmap import Heatmap, heatmap, heatmap_key
from simpatico.charts.html import Html, el
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import HEAT_DIALOGS, HEAT_METRICS
from simpatico.reporting.sections.components import Section, intro, make_section, small_print
from simpatico.reporting.sections.side_by_side import ABOUT
from simpatico.validation.overlap import ScoreStructure
from simpatico.wording import format_correlation, format_count, lower_first_letter

TOPIC = "How metrics overlap"
LOW = 0.2
MOSTLY = 0.75


def overlap_section(found: Findings) -> Section | None:
    """Which metrics move together; null where there are too few of them to ask."""
    told = found.structure
    most = largest_pair_count(told)
    if len(told.names) < HEAT_METRICS:
        return None
    if most < HEAT_DIALOGS:
        return make_section(
            "overlap",
            TOPIC,
            "Too few dialogs to say which metrics overlap",
            intro(
                f"A heat map needs at least {HEAT_DIALOGS} dialogs with two scores; there are "
                f"{most}. With fewer, unrelated metrics often correlate beyond ±.36 by chance."
            ),
        )
    return make_section(
        "overlap",
        TOPIC,
        overlap_finding(found),
        intro(
            "Each cell is the correlation of the metrics of its row and column. The dendrogram "
            "groups metrics that correlate, positively or negatively."
        ),
        el(
            "div",
            {"class": "heat"},
            el("div", None, heatmap(heatmap_data(found))),
            heatmap_sidebar(found, most),
        ),
    )


def largest_pair_count(told: ScoreStructure) -> int:
    """How many dialogs the pair of scores with most of them has."""
    pairs = [n for i, row in enumerate(told.n) for j, n in enumerate(row) if i != j]
    return max(pairs, default=0)


def heatmap_data(found: Findings) -> Heatmap:
    """The structure as the drawing takes it."""
    told = found.structure
    kinds = {s.name: s.kind for s in found.scores}
    place = {name: i for i, name in enumerate(told.names)}
    return Heatmap(
        titles=tuple(found.titles.get(n, n) for n in told.names),
        kinds=tuple(kinds.get(n, "O") for n in told.names),
        r=tuple(map(tuple, told.r)),
        low=tuple(map(tuple, told.low)),
        high=tuple(map(tuple, told.high)),
        n=tuple(map(tuple, told.n)),
        order=tuple(place[n] for n in told.order),
        linkage=tuple(map(tuple, told.linkage)),
        caption="Correlations between metrics",
    )


def overlap_finding(found: Findings) -> str:
    """How much the metrics have in common."""
    told = found.structure
    kinds = {s.name: s.kind for s in found.scores}
    pairs = [
        (told.names[i], told.names[j], r)
        for i, j in combinations(range(len(told.names)), 2)
        if (r := told.r[i][j]) is not None
    ]
    if not pairs:
        return "No correlation between two metrics can be computed"
    mixed = [p for p in pairs if {kinds.get(p[0]), kinds.get(p[1])} == {"P", "T"}]
    chosen = mixed or pairs
    low = sum(abs(r) < LOW for *_, r in chosen)
    below = f"stay below |r| = {format_correlation(LOW, 1)}"
    among = "pairs with a traditional metric" if mixed else "pairs of metrics"
    if mixed and low >= MOSTLY * len(mixed):
        start = "The psychological metrics correlate little with the traditional ones: "
        return f"{start}{low} of {len(mixed)} {among} {below}"
    a, b, r = max(pairs, key=lambda p: abs(p[2]))
    return (
        f"{found.titles.get(a, a)} and {lower_first_letter(found.titles.get(b, b))} overlap most "
        f"(r = {format_correlation(r)}); {low} of {len(chosen)} {among} {below}"
    )


def heatmap_sidebar(found: Findings, most: int) -> Html:
    """The reading of one pair, and the key."""
    kinds = [k for k in ABOUT if any(s.kind == k for s in found.scores)]
    tags = [el("span", {"class": "tagged"}, kind_tag(k), ABOUT[k][0].lower()) for k in kinds]
    return el(
        "div",
        None,
        el(
            "div",
            {"class": "readout", "id": "readout", "aria-live": "polite", "hidden": True},
            "Point at a cell or use the arrow keys to see its values here.",
        ),
        el("p", {"class": "note tags"}, tags),
        heatmap_key(),
        small_print(f"Pearson r over {describe_sample(found, most)}, average linkage on 1 − |r|."),
    )


def describe_sample(found: Findings, most: int) -> str:
    """What was correlated: dialogs, or parts of dialogs where several systems speak in one."""
    if most <= found.facts["alignment"]["dialogs"]:
        return format_count(most, "dialog")
    return f"{format_count(most, 'dialog side')} (one per speaker)"
