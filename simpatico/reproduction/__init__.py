"""The tables of published papers, recomputed: the paper's figure and ours side by side.

One package a paper. Its `reproduce(data, request, tell=...)` returns a `cells.Reproduction`;
`simpatico reproduce PAPER` prints that as tables, JSON or Markdown.
"""
