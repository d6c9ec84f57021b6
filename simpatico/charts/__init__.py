"""Drawings of plain numbers as SVG and HTML, shared by pages, notebooks and figures."""
