"""User-aware models: what they read, how they predict, and their folders.

    contexts.py          turns with their addressee and covariates
    inputs.py            vectors and character n-grams of a context, a sparse row each
    model.py             shared weights plus per-user weights
    folder.py            a model of that kind on disk
    speaker_tokens.py    dialogs as texts with a special token for each user
    finetuned_folder.py  an encoder that was fine-tuned on such texts
    identity.py          pseudonyms: no folder holds a name
    feature.py           either kind of model as a feature of metrics

`simpatico.training.users` trains them; `reply_chance` and `interlocutor_score` use them.
"""
