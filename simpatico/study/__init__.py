"""Studies: people talk with bots and rate dialogs in the browser; answers end in `validate`.

study.toml → design → units → store ← server ← pages       store → export → score, validate
"""
