"""The tables of published papers, recomputed: the paper's figure and ours side by side.

One package a paper. Its `reproduce(data, request, tell=...)` returns a `cells.Reproduction`;
`simpatico reproduce PAPER` prints that as tables, JSON or Markdown. A package has

- what the paper printed, read by hand: `paper.py` for few figures, `printed.toml` for tables,
- `data.py`, which reads the files as the authors published them and refuses what is not theirs,
- a module for each group of tables, whose functions yield cells (`cells.make_cell`): the figure of
  the paper or null, ours with its interval or null, n, and a note with what a reader must know.

Where ours is more than .01 from the paper's, `reproduce` gives a reason, a guess ("perhaps ...") or
says "unexplained". A data set that is missing leaves out its tables; the omission is listed.
"""
