"""What Giorgi et al. (2023), Psychological Metrics for Dialog System Evaluation, print.

All figures are adjusted R² of people's judgements. P: psychological metrics alone, the same down a
column of each table, whatever traditional metric the row names. T: a traditional metric alone.
P+T: both. Stars are the paper's: p < .05, .01, .001, corrected by Bonferroni in Tables 1 and 2 and
by Benjamini and Hochberg in Tables 8 to 18.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

TRAITS = ("agreeableness", "empathy")
STATES = ("emotional_entropy", "emotion_matching", "style_matching")
METRICS = (*TRAITS, *STATES)
"""In the order of the paper's columns."""

ALL = "all together"
POOLED, WITHIN, DIALOGS = "pooled", "within sets", "FED-Dial"


class PaperRow(NamedTuple):
    """A table, or a block of one: the figures P of `METRICS`, null where there is no column."""

    table: str
    figures: tuple[float | None, ...]
    all_metrics: float | None


PAPER = {
    "D7": PaperRow("8", (0.000, 0.000, 0.023, 0.001, 0.000), 0.009),
    "ESL": PaperRow("9", (0.002, 0.005, 0.004, 0.000, 0.011), 0.009),
    "GD": PaperRow("10", (0.005, 0.000, 0.005, 0.002, 0.004), 0.009),
    "HU": PaperRow("11", (0.000, 0.000, 0.006, 0.013, 0.002), 0.009),
    "NCM": PaperRow("12", (0.001, 0.000, 0.009, 0.006, 0.001), 0.009),
    "PD10": PaperRow("13", (0.000, 0.000, 0.019, 0.012, 0.006), 0.009),
    "TD10": PaperRow("14", (0.000, 0.000, 0.000, 0.001, 0.002), 0.009),
    "TP": PaperRow("15", (0.017, 0.000, 0.110, 0.003, 0.070), 0.009),
    "UP": PaperRow("16", (0.003, 0.003, 0.130, 0.003, 0.019), 0.009),
    "ZD": PaperRow("17", (0.001, 0.000, 0.020, 0.004, 0.013), 0.009),
    "ZP": PaperRow("18", (0.002, 0.001, 0.000, 0.025, 0.040), 0.009),
    POOLED: PaperRow("1", (None, None, 0.097, 0.001, 0.056), 0.148),
    WITHIN: PaperRow("1", (None,) * 5, None),
    DIALOGS: PaperRow("2", (0.044, 0.000, None, None, None), 0.040),
}
"""Table 7 (DSTC6) is left out: we do not have the data. Table 1 has .132 in one row for .148."""


def table_number(row: str) -> str:
    """The number of the table that holds this data set; a dash where the paper has none."""
    return PAPER[row].table if row in PAPER else "–"


def metrics_of(row: str) -> tuple[str, ...]:
    """Table 1 has the metrics of turns, Table 2 those of dialogs, the others all."""
    return {POOLED: STATES, WITHIN: STATES, DIALOGS: TRAITS}.get(row, METRICS)


def paper_r2(row: str, column: str) -> float | None:
    """The figure P of a data set and a psychological metric, or of all of them together."""
    if row not in PAPER:
        return None
    if column == ALL:
        return PAPER[row].all_metrics
    return dict(zip(METRICS, PAPER[row].figures, strict=True)).get(column)


class IncrementalFigure(NamedTuple):
    """A figure T or P+T, with its stars as a text of their own."""

    value: float
    stars: str


def paper_incremental_r2(row: str, metric: str, column: str = "") -> IncrementalFigure | None:
    """T of a traditional metric, or its P+T with `column`; null where the paper has none."""
    return incremental_figures().get((row, metric, column))


@cache
def incremental_figures() -> dict[tuple[str, str, str], IncrementalFigure]:
    """Every T and P+T by data set, traditional metric and what was added to it."""
    figures: dict[tuple[str, str, str], IncrementalFigure] = {}
    row = ""
    for line in FIGURES.strip().splitlines():
        if line.startswith("["):
            row = line.strip("[]")
            continue
        metric, texts = line[:NAME_WIDTH].strip(), line[NAME_WIDTH:].split()
        for column, text in zip(("", *metrics_of(row), ALL), texts, strict=True):
            value = text.rstrip("*")
            figures[row, metric, column] = IncrementalFigure(float(value), text[len(value) :])
    return figures


NAME_WIDTH = 14
FIGURES = """
[pooled]
BARTScore     .072    .138*** .073    .128*** .190***
BERTScore     .048    .128*** .049*   .101*** .178***
BLEURT        .031    .113*** .032    .086*** .165***
DialogRPT     .188    .289*** .190**  .218*** .315***
Mauve         .095    .152*** .096    .135*** .192***
Prism ref.    .102    .159*** .104    .148*** .205***
USL-H         .104    .155*** .104    .170*** .215***
[FED-Dial]
DialogRPT     .010    .049    .011    .046
Mauve         .012    .056    .013    .054
USL-H         .108    .140    .105    .135
[D7]
BARTScore     .087    .088    .087    .095*** .088    .091*** .099***
BERTScore     .130    .131    .130    .140*** .131    .130    .141***
BLEURT        .126    .127    .126    .130**  .127    .126    .131***
Prism ref.    .101    .101    .101    .105**  .101    .101    .106***
Prism Unref.  .021    .021    .021    .028*** .021    .021    .029***
Prism Context .011    .011    .011    .026*** .011    .012    .028***
[ESL]
BARTScore     .182    .182    .182    .182    .185    .192    .191
BERTScore     .096    .098    .098    .103    .106    .127    .131*
BLEURT        .080    .082*   .084    .081    .081    .094    .098*
Prism ref.    .066    .067    .067    .067    .067    .079    .078
Prism Unref.  .011    .012    .015    .010    .011    .020    .023*
Prism Context .007    .009    .011    .013    .013    .036    .040*
[GD]
BARTScore     .017    .021    .018    .024*   .020    .025    .038**
BERTScore     .116    .119    .116    .115    .117    .119    .122*
BLEURT        .121    .123    .121    .135*   .120    .129    .140**
Prism ref.    .014    .018    .015    .022*   .016    .022    .033**
Prism Unref.  .002    .003    .002    .004*   .001    .002    .012**
Prism Context .018    .025    .018    .017    .024    .018    .027**
[HU]
BARTScore     .078    .078    .078    .086*** .089*** .078    .099***
BERTScore     .120    .121    .120    .121*   .129*** .122*   .130***
BLEURT        .123    .123    .123    .129*** .132*** .124    .139***
Prism ref.    .062    .062    .062    .075*** .073*** .062    .088***
Prism Unref.  .006    .006    .006    .008**  .021*** .009**  .026***
Prism Context .024    .024    .024    .043*** .033*** .024    .052***
[NCM]
BARTScore     .035    .035    .035    .039*   .041**  .035    .045
BERTScore     .013    .014    .013    .026    .019*   .014    .033
BLEURT        .019    .019    .020    .032*   .026**  .019    .039
Prism ref.    .019    .020    .020    .030*   .027**  .019    .038
Prism Unref.  .004    .005    .004    .009    .009**  .005    .015
Prism Context .013    .014    .013    .015*   .015*   .015    .020
[PD10]
BARTScore     .060    .060    .060    .071**  .069**  .062    .078***
BERTScore     .025    .025    .025    .041**  .037    .031    .050**
BLEURT        .043    .043    .043    .054*** .053**  .048    .062***
Prism ref.    .019    .019    .019    .035**  .031    .024    .044**
Prism Unref.  .020    .020    .020    .028**  .030*   .024    .037**
Prism Context .008    .008    .008    .027**  .018    .012    .033**
[TD10]
BARTScore     .063    .063    .063    .063    .063    .063    .062
BERTScore     .054    .054    .054    .054    .055    .055    .055
BLEURT        .049    .049    .049    .049    .049    .049    .049
Prism ref.    .036    .036    .036    .036    .037    .037    .037
Prism Unref.  .000    .000    .000    .000    .000    .002    .002
Prism Context .005    .005    .005    .005    .005    .006    .005
[TP]
BARTScore     .138    .146    .136    .213*   .136    .168*   .227**
BERTScore     .217    .224    .215    .279*   .215    .247*   .295**
BLEURT        .283    .289    .281    .324*   .282    .298*   .332**
Prism ref.    .177    .186    .175    .236*   .175    .204*   .252**
Prism Unref.  .204    .209    .202    .238*   .202    .229    .252
Prism Context .018    .033    .017    .117**  .015    .099**  .162***
[UP]
BARTScore     .044    .041    .041    .179**  .042    .060    .183***
BERTScore     .109    .107    .106    .230**  .107    .128    .238***
BLEURT        .151    .150    .149    .258**  .148    .161    .260***
Prism ref.    .080    .077    .077    .202**  .077    .097    .208***
Prism Unref.  .098    .095    .097    .159*   .096    .116*   .168***
Prism Context .023    .020    .020    .141**  .022    .054*   .157***
[ZD]
BARTScore     .148    .149    .147    .192*** .150    .172**  .204***
BERTScore     .171    .171    .170    .196**  .172    .191**  .208***
BLEURT        .208    .207    .207    .245*** .208    .235**  .258***
Prism ref.    .146    .145    .145    .184*** .146    .169**  .194***
Prism Unref.  .024    .025    .024    .029**  .029    .031*   .041***
Prism Context .007    .008    .007    .039*** .010    .024**  .051***
[ZP]
BARTScore     .179    .182    .178    .180    .202*** .200**  .224***
BERTScore     .160    .163    .159    .163    .184*** .187**  .214***
BLEURT        .170    .172    .169    .174    .191**  .191**  .216***
Prism ref.    .132    .134    .131    .134    .157*** .159**  .184***
Prism Unref.  .002    .004    .001    .001    .027*** .040*** .060***
Prism Context .026    .027    .025    .025    .042**  .058*** .072***
"""
"""One block a data set, one line a metric: T, then P+T with each of `metrics_of`, then with all."""
