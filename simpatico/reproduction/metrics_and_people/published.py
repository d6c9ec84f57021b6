"""Spearman correlations that others printed for the same data sets, as they printed them.

Yeh, Eskenazi and Mehri (2021), A Comprehensive Assessment of Dialog Evaluation Metrics, Tables 4
and 7 ("S", of turns and of dialogs): overall quality, mean over judges; of the USR sets without the
original answers, which are the references. Zhang et al. (2021), Automatic Evaluation and Moderation
of Open-domain Dialogue Systems, Tables 2 and 3, in per cent there: the baseline, Deep AM-FM with
RoBERTa base and GPT-2 medium beside the context. Its figures are means over all qualities of a set:
those of sets with one quality are compared with ours, the others stand in a note.
"""

from __future__ import annotations

from simpatico.metric import plain_name
from simpatico.reproduction.psychological_metrics.data import DataSet

YEH = "Yeh et al. 2021"
ZHANG = "Zhang et al. 2021 (DSTC10), who read responses beside the context"
MEAN, MEDIAN = "mean of judges", "median of judges"

OURS = {
    "BLEU-4": "bleu",
    "BERTScore": "bert_score",
    "BLEURT": "bleurt",
    "RUBER": "ruber",
    "BERT-RUBER": "ctx_ruber",
    "USL-H": "usl_h",
    "DialogRPT": "dialog_rpt",
    "Deep AM-FM": "deep_am_fm",
    "FED": "fed",
}
"""What we call the metrics that we have too; without the model."""

YEH_FIGURES = {
    "BLEU-4": {"TP": 0.296, "UP": 0.090},
    "METEOR": {"TP": 0.391, "UP": 0.271},
    "ROUGE-L": {"TP": 0.287, "UP": 0.038},
    "ADEM": {"TP": -0.061, "UP": -0.085},
    "BERTScore": {"TP": 0.325, "UP": 0.122},
    "BLEURT": {"TP": 0.261, "UP": 0.054},
    "QuestEval": {"TP": 0.338, "UP": 0.236, "FT": 0.093, "FED-Dial": 0.080},
    "RUBER": {"TP": 0.259, "UP": 0.190},
    "BERT-RUBER": {"TP": 0.348, "UP": 0.248},
    "PONE": {"TP": 0.274, "UP": 0.375},
    "MAUDE": {"TP": 0.083, "UP": 0.298, "FT": -0.094, "FED-Dial": -0.280},
    "DEB": {"TP": 0.116, "UP": 0.373, "FT": 0.187, "FED-Dial": 0.006},
    "GRADE": {"TP": 0.217, "UP": 0.352, "FT": 0.118, "FED-Dial": -0.065},
    "DynaEval": {"TP": -0.022, "UP": 0.171, "FT": 0.323, "FED-Dial": 0.547},
    "USR": {"TP": 0.423, "UP": 0.418, "FT": 0.117, "FED-Dial": 0.062},
    "USL-H": {"TP": 0.340, "UP": 0.523, "FT": 0.189, "FED-Dial": 0.152},
    "DialogRPT": {"TP": 0.105, "UP": -0.083, "FT": -0.086, "FED-Dial": -0.214},
    "Deep AM-FM": {"TP": 0.268, "UP": 0.219},
    "HolisticEval": {"TP": -0.123, "UP": 0.113, "FT": 0.125, "FED-Dial": -0.304},
    "PredictiveEngage": {"TP": 0.310, "UP": 0.033, "FT": 0.094, "FED-Dial": 0.155},
    "FED": {"TP": -0.135, "UP": -0.000, "FT": 0.095, "FED-Dial": 0.320},
    "FlowScore": {"TP": 0.082, "UP": 0.079, "FT": -0.055, "FED-Dial": -0.003},
}

ONE_QUALITY = {
    "JSALT": 0.0509,
    "ESL": 0.3229,
    "NCM": 0.1649,
    "GD": 0.1770,
    "HU": 0.1173,
    "ZP": 0.4679,
}
SEVERAL = {
    "TD10": 0.1748,
    "PD10": 0.1961,
    "ZD": 0.2225,
    "D7": 0.0267,
    "FT": 0.0509,
    "UP": 0.1442,
    "TP": 0.1410,
    "FED-Dial": 0.1118,
}
"""The baseline of DSTC10: on sets of one quality, and its mean over several."""

THEIR_NAMES = {ours: theirs for theirs, ours in OURS.items()}
BASELINE = "deep_am_fm"


def published_figure(data_set: DataSet, score: str, table: str) -> tuple[float | None, list[str]]:
    """What was printed for a score of ours on a data set, and who printed it.

    A printed figure is of a metric's usual mode, and on whole dialogs of FED's score of dialogs. A
    mean over several qualities is not comparable with ours and stands in the note only.
    """
    name, metric = data_set.name, plain_name(score)
    comparable = ", " not in score and (metric != "fed" or not data_set.rates_dialogs)
    metric = "fed" if metric == "fed_dialog" else metric
    if table != MEAN:
        return None, []
    if comparable:
        value = YEH_FIGURES.get(THEIR_NAMES.get(metric, ""), {}).get(name)
        if value is not None:
            return value, [f"printed by {YEH}"]
        if metric == BASELINE and name in ONE_QUALITY:
            return ONE_QUALITY[name], [f"printed by {ZHANG}"]
    if metric == BASELINE and name in SEVERAL:
        note = f"{SEVERAL[name]:.4f} over all qualities of the set is printed by {ZHANG}"
        return None, [note]
    return None, []


def figures_of_other_metrics(set_name: str, ours: list[str]) -> dict[str, float]:
    """Figures of Yeh et al. for this set, of metrics that are not among ours."""
    return {
        metric: by_set[set_name]
        for metric, by_set in YEH_FIGURES.items()
        if set_name in by_set and OURS.get(metric) not in ours
    }
