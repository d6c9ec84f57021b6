"""Systems in people's unit: mean ratings from a few rated dialogs and a proxy for all of them."""
