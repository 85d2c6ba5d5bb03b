"""All that can be asked for, and by whom."""

from tercet.server import about, classify, files, labelling, messages, pools, progress, quality, sessions, teach, words
from tercet.server.calls import Operation

READER, TEACHER, ADMIN = "reader", "teacher", "admin"
MODEL = "/api/models/{model}"

# The first ones are found first, so what is asked for most stands at the top.
OPERATIONS = (
    Operation("POST", f"{MODEL}/classify", READER, classify.classify, messages.Classify, messages.Classified, streams=True),
    Operation("POST", f"{MODEL}/explain", READER, classify.explain, messages.Explain, messages.Explained),
    Operation("GET", "/health", None, about.is_alive, gives=messages.Health),
    Operation("GET", "/ready", None, about.is_ready, gives=messages.Health),
    Operation("GET", "/metrics", READER, about.show_metrics),
    Operation("POST", "/api/session", None, sessions.log_in, messages.LogIn, messages.Session),
    Operation("GET", "/api/session", READER, sessions.who_am_i, gives=messages.Session),
    Operation("DELETE", "/api/session", READER, sessions.log_out, status=204),
    Operation("POST", "/api/tokens", READER, sessions.make_token, messages.NewToken, messages.IssuedToken, 201),
    Operation("GET", "/api/tokens", READER, sessions.list_tokens, gives=messages.Tokens),
    Operation("DELETE", "/api/tokens/{id}", READER, sessions.revoke_token, status=204),
    Operation("GET", "/api/models", READER, about.list_models, gives=messages.Models),
    Operation("GET", MODEL, READER, about.show_model, gives=messages.ModelFacts),
    Operation("GET", f"{MODEL}/card", READER, about.show_card),
    Operation("POST", f"{MODEL}/learn", TEACHER, teach.learn, messages.Learn, messages.Changed),
    Operation("POST", f"{MODEL}/unlearn", TEACHER, teach.unlearn, messages.Unlearn, messages.Changed),
    Operation("POST", f"{MODEL}/relabel", TEACHER, teach.relabel, messages.Relabel, messages.Changed),
    Operation("POST", f"{MODEL}/undo", TEACHER, teach.undo, messages.Undo, messages.Changed),
    Operation(
        "POST",
        f"{MODEL}/pools",
        TEACHER,
        pools.import_pool,
        gives=messages.Imported,
        accepts=tuple(pools.FORMATS),
        query=(("name", "The name of the pool."), ("subject", "The column of the person whom a text is about.")),
    ),
    Operation("GET", f"{MODEL}/pools", READER, pools.list_pools, gives=messages.PoolList),
    Operation("POST", f"{MODEL}/pools/next", TEACHER, pools.pick_texts, messages.NextTexts, messages.QueuedTexts),
    Operation("POST", f"{MODEL}/judge", TEACHER, labelling.judge, messages.Judge, messages.Judged),
    Operation("POST", f"{MODEL}/correct", TEACHER, labelling.correct, messages.Correct, messages.Judged),
    Operation(
        "POST",
        f"{MODEL}/disagreements",
        TEACHER,
        labelling.list_disagreements,
        messages.FindDisagreements,
        messages.Disagreements,
    ),
    Operation("POST", f"{MODEL}/settle", TEACHER, labelling.settle, messages.Settle, messages.Judged),
    Operation("GET", f"{MODEL}/agreement", READER, quality.show_agreement, gives=messages.AgreementFacts),
    Operation("GET", f"{MODEL}/quality", READER, quality.show_quality, gives=messages.Quality),
    Operation(
        "GET",
        f"{MODEL}/words",
        READER,
        words.list_words,
        gives=messages.Words,
        query=(("limit", "How many words of each label to list."),),
    ),
    Operation("POST", f"{MODEL}/word", READER, words.show_word, messages.FindWord, messages.WordFacts),
    Operation("GET", f"{MODEL}/progress", READER, progress.show_progress),
    Operation("POST", f"{MODEL}/read", TEACHER, files.read_mail, gives=messages.ReadMail, accepts=(files.EMAIL,)),
    Operation("GET", f"{MODEL}/export", ADMIN, files.export_model),
    Operation("POST", f"{MODEL}/erase", ADMIN, teach.erase, messages.Erase, messages.Erased),
    Operation("GET", f"{MODEL}/certificates/{{event:int}}", ADMIN, teach.certificate, gives=messages.Erased),
    Operation(
        "POST",
        "/api/certificates/check",
        READER,
        teach.check_certificate,
        messages.CheckCertificate,
        messages.CertificateFaults,
    ),
    Operation("POST", f"{MODEL}/train", TEACHER, teach.train, gives=messages.Training, status=202),
    Operation("GET", f"{MODEL}/train", READER, about.show_training, gives=messages.Training),
    Operation("POST", f"{MODEL}/history", TEACHER, about.search_history, messages.Search, messages.History),
    Operation("GET", f"{MODEL}/history/{{event:int}}", TEACHER, about.show_event, gives=messages.HistoryEvent),
)
