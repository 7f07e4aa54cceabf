"""A clip to listen to: its sound beside a page with its spectrogram, its reference, and what detectors heard."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from tracelab.heard import Events
from tracelab.protocol import Protocol
from tracelab.scenes.corpus import Clip
from tracepact.show import Section, html_page

_WIDTH, _LANE = 960, 14
_BANDS, _LEVELS, _WINDOW = 40, 9, 256
_RANGE_DB = 60.0
_COLOURS = {"speech": "#2f6fb4", "tone": "#c2641a", "burst": "#4b8f3a"}
_OTHER = "#777"


def clip_page(clip: Clip, protocol: Protocol, systems: Mapping[str, Events], sound: str) -> str:
    """The page of a clip; `sound` is the name of its WAV file, which stands beside the page."""
    head = Markup('<p>{}</p><p><audio controls src="{}"></audio></p>').format(
        f"Condition: {clip.task.condition}. Time runs from left to right, {float(protocol.clip_seconds):g} s in all.",
        sound,
    )
    rows = {"reference": clip.events(protocol.rate), **systems}
    picture = spectrogram(clip, protocol) + timelines(rows, float(protocol.clip_seconds))
    return html_page(clip.name, head, [Section("clip", "What is heard", picture)], media="'self' file:")


def spectrogram(clip: Clip, protocol: Protocol) -> Markup:
    """Power by time and frequency in nine steps of grey, as one drawing; low frequencies below."""
    levels = _levels(clip.samples.astype(np.float64), protocol)
    frames = levels.shape[0]
    wide, high = _WIDTH / frames, 160 / _BANDS
    parts = [f"<rect width='{_WIDTH}' height='160' fill='#fff'/>"]
    for band in range(_BANDS):
        column = levels[:, band]
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        for start, end in zip(starts, [*starts[1:], frames], strict=True):
            if column[start]:
                grey = round(255 * (1 - column[start] / (_LEVELS - 1)))
                parts.append(
                    f"<rect x='{start * wide:.1f}' y='{160 - (band + 1) * high:.1f}' "
                    f"width='{(end - start) * wide:.1f}' height='{high:.1f}' fill='rgb({grey},{grey},{grey})'/>"
                )
    drawn = Markup(f"<svg viewBox='0 0 {_WIDTH} 164' role='img'>{''.join(parts)}</svg>")  # noqa: S704
    return Markup("<p>0 to {} Hz, low frequencies below</p>").format(protocol.rate // 2) + drawn


def timelines(rows: Mapping[str, Events], seconds: float) -> Markup:
    """The events of the reference and of each system, a drawing below each name, coloured by class."""
    labels = sorted({label for events in rows.values() for _, _, label in events})
    mark = Markup("<svg viewBox='0 0 12 12' width='12' height='12'><rect width='12' height='12' fill='{}'/></svg> {}")
    keys = [mark.format(_COLOURS.get(label, _OTHER), label) for label in labels]
    drawn = [Markup("<p>{}</p>").format(Markup(" · ").join(keys))]
    for name, events in rows.items():
        drawn.append(Markup("<p>{}</p>").format(name) + _timeline(events, labels, _WIDTH / seconds))
    return Markup("").join(drawn)


def _timeline(events: Events, labels: Sequence[str], scale: float) -> Markup:
    """A bar for each event, a lane for each class."""
    bars = Markup("").join(
        Markup("<rect x='{}' y='{}' width='{}' height='{}' fill='{}'><title>{}</title></rect>").format(
            f"{float(onset) * scale:.1f}",
            labels.index(label) * _LANE,
            f"{float(offset - onset) * scale:.1f}",
            _LANE,
            _COLOURS.get(label, _OTHER),
            f"{label}, {float(onset):.3f} to {float(offset):.3f} s",
        )
        for onset, offset, label in events
    )
    high = max(len(labels), 1) * _LANE
    ground = Markup("<rect width='{}' height='{}' fill='currentColor' opacity='.06'/>").format(_WIDTH, high)
    return Markup("<svg viewBox='0 0 {} {}' role='img'>{}</svg>").format(_WIDTH, high, ground + bars)


def _levels(samples: npt.NDArray[np.float64], protocol: Protocol) -> npt.NDArray[np.int64]:
    """Frames × bands, each a level from 0 (silent) to the loudest."""
    hop = 2 * protocol.frame_samples
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(samples, _WINDOW // 2), _WINDOW)[::hop]
    power = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1))[:, 1:] ** 2
    bands = np.add.reduceat(power, np.linspace(0, power.shape[1], _BANDS, endpoint=False).astype(int), axis=1)
    decibels = 10 * np.log10(bands + 1e-9)
    share = np.clip(1 + (decibels - decibels.max()) / _RANGE_DB, 0, 1)
    levels: npt.NDArray[np.int64] = np.round(share * (_LEVELS - 1)).astype(np.int64)
    return levels
