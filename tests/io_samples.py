"""A small file of every format, with a name that it could have."""

import formats

TABLE = "filename\tonset\toffset\tevent_label\nclip.wav\t0.5\t1.25\tdog\nother.wav\t1\t2\tcat\n"
JSON = '{"clips": {"clip.wav": [[0.5, 1.25, "dog"],\n [1, 2, "cat"]]}}\n'
SAMPLES = {
    "table": ("t.tsv", TABLE),
    "list": ("c.txt", formats.LIST),
    "json": ("t.json", JSON),
    "biodcase": ("b.csv", formats.BIODCASE),
    "audacity": ("c.txt", formats.AUDACITY),
    "raven": ("c.txt", formats.RAVEN),
    "textgrid": ("c.TextGrid", formats.TEXTGRID),
    "maestro": ("c.txt", formats.MAESTRO),
    "scores": ("c.tsv", formats.SCORES),
    "pam": ("p.csv", formats.PAM),
    "birdnet": ("b.csv", formats.BIRDNET),
    "crowsetta": ("c.csv", formats.CROWSETTA),
    "audioset": ("a.tsv", formats.AUDIOSET),
    "few-shot": ("f.csv", formats.FEW_SHOT),
    "rttm": ("c.rttm", formats.RTTM),
    "ctm": ("c.ctm", formats.CTM),
    "lab": ("c.lab", formats.LAB),
    "eaf": ("c.eaf", formats.EAF),
    "jams": ("c.jams", formats.JAMS),
    "aoef": ("c.json", formats.AOEF),
    "seld": ("c.csv", formats.SELD),
    "subtitles": ("c.srt", formats.SUBTITLES),
    "label-studio": ("l.json", formats.LABEL_STUDIO),
    "via": ("v.json", formats.VIA),
}
