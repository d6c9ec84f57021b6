"""Questions about conversations, and what is put before whoever answers them."""
