"""How the metrics overlap: their correlations as a clustered heat map.

Metrics that measure the same are one argument, not two. The question of Giorgi et al. (2023) is
whether psychological metrics measure something that traditional ones, such as length, do not; the
heading answers it where there are both. Distance is 1 − |r|, as opposites measure the same.
"""

from __future__ import annotations

from itertools import combinations

from simpatico.charts.forest import kind_tag
from simpatico.charts.heatmap import Heatmap, heatmap, heatmap_key
from simpatico.charts.html import Html, el
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import HEAT_DIALOGS, HEAT_METRICS
from simpatico.reporting.sections import components as page
from simpatico.reporting.sections.side_by_side import ABOUT
from simpatico.validation.overlap import ScoreStructure
from simpatico.wording import format_correlation, format_count, lower_first_letter

LOW = 0.2
"""|r| below which two metrics share less than 4% of their variance."""
MOSTLY = 0.75
"""Share of pairs below `LOW` from which kinds of metrics are said to correlate little."""


def overlap_section(findings: Findings) -> page.Section | None:
    """Which metrics correlate with each other; null where there are too few of them to ask."""
    n = largest_pair_count(findings.structure)
    if len(findings.structure.names) < HEAT_METRICS:
        return None
    if n < HEAT_DIALOGS:
        finding = "Too few dialogs to say which metrics overlap"
        content = page.intro(
            f"A heat map needs at least {HEAT_DIALOGS} dialogs with two scores; there are {n}. "
            "With fewer, unrelated metrics often correlate beyond ±.36 by chance."
        )
        return page.make_section("overlap", "How metrics overlap", finding, content)
    chart = el("div", None, heatmap(heatmap_data(findings)))
    return page.make_section(
        "overlap",
        "How metrics overlap",
        overlap_finding(findings),
        page.intro(
            "Each cell is the correlation of the metrics of its row and column. The dendrogram "
            "groups metrics that correlate, positively or negatively."
        ),
        el("div", {"class": "heat"}, chart, heatmap_sidebar(findings, n)),
    )


def largest_pair_count(structure: ScoreStructure) -> int:
    """The number of dialogs that have both scores, for the pair with most of them."""
    return max((n for i, row in enumerate(structure.n) for n in row[:i]), default=0)


def heatmap_data(findings: Findings) -> Heatmap:
    """The structure as the chart takes it: titles for names, positions for the order."""
    structure = findings.structure
    return Heatmap(
        titles=tuple(findings.titles.get(n, n) for n in structure.names),
        kinds=tuple(findings.kinds.get(n, "O") for n in structure.names),
        r=tuple(map(tuple, structure.r)),
        low=tuple(map(tuple, structure.low)),
        high=tuple(map(tuple, structure.high)),
        n=tuple(map(tuple, structure.n)),
        order=tuple(structure.names.index(n) for n in structure.order),
        linkage=tuple(map(tuple, structure.linkage)),
        caption="Correlations between metrics",
    )


def overlap_finding(findings: Findings) -> str:
    """The heading: that the kinds correlate little, or else which two metrics overlap most.

    Pairs of a psychological and a traditional metric are counted, or all where there are none.
    """
    names, titles = findings.structure.names, findings.titles
    pairs = [
        (names[i], names[j], r)
        for i, j in combinations(range(len(names)), 2)
        if (r := findings.structure.r[i][j]) is not None
    ]
    if not pairs:
        return "No correlation between two metrics can be computed"
    kinds = findings.kinds
    across = [p for p in pairs if {kinds.get(p[0]), kinds.get(p[1])} == {"P", "T"}]
    sample = across or pairs
    low = sum(abs(r) < LOW for *_, r in sample)
    among = "psychological–traditional pairs" if across else "pairs of metrics"
    share = f"{low} of {len(sample)} {among} stay below |r| = {format_correlation(LOW, 1)}"
    if across and low >= MOSTLY * len(across):
        return f"The psychological metrics correlate little with the traditional ones: {share}"
    a, b, r = max(pairs, key=lambda p: abs(p[2]))
    both = f"{titles.get(a, a)} and {lower_first_letter(titles.get(b, b))}"
    return f"{both} overlap most (r = {format_correlation(r)}); {share}"


def heatmap_sidebar(findings: Findings, n: int) -> Html:
    """Where the values of one cell are shown, the letters of kinds, the colours, the method.

    The first part needs script (page.js) and stays hidden without.
    """
    kinds = [k for k in ABOUT if k in findings.kinds.values()]
    tags = [el("span", {"class": "tagged"}, kind_tag(k), ABOUT[k][0].lower()) for k in kinds]
    # More units than dialogs: several systems speak in one dialog, and each has its own scores.
    sample = format_count(n, "dialog")
    if n > findings.facts["alignment"]["dialogs"]:
        sample = f"{format_count(n, 'dialog side')} (one per speaker)"
    readout = {"class": "readout", "id": "readout", "aria-live": "polite", "hidden": True}
    hint = "Point at a cell or use the arrow keys to see its values here."
    return el(
        "div",
        None,
        el("div", readout, hint),
        el("p", {"class": "note tags"}, tags),
        heatmap_key(),
        page.small_print(f"Pearson r over {sample}, average linkage on 1 − |r|."),
    )
