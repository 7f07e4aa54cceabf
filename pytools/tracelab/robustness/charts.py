"""The charts of a robustness run: curves over severity, reliability diagrams, and readings over their iterations."""

from collections.abc import Sequence
from fractions import Fraction

from tracelab.robustness.corruptions import SEVERITIES
from tracelab.robustness.records import CalibratedModel, CorruptedModel, Trial
from tracelab.robustness.tables import Shown
from tracepact.show import Curve, curve_chart, heat_table


def robustness_figures(shown: Shown) -> dict[str, str]:
    """Curves over severity, reliability diagrams, and the canonical reading over its iterations."""
    figures = {}
    for model, calibrated in zip(shown.corruptions.models, shown.calibration.models, strict=True):
        figures[f"severity-{model.name}"] = severity_chart(model)
        figures[f"reliability-{model.name}"] = reliability_chart(calibrated)
    values = [
        [float(Fraction(piece.value)) for piece in family.curve]
        for model in shown.corruptions.models
        for family in model.families
    ]
    rows = [f"{model.name} {family.family}" for model in shown.corruptions.models for family in model.families]
    figures["accuracy"] = heat_table("Accuracy by severity", rows, ["clean", *map(str, SEVERITIES)], values)
    figures["fragility"] = fragility_chart(shown.explanation.trials)
    return figures


def severity_chart(model: CorruptedModel) -> str:
    """Accuracy over severity, a step function for each family."""
    curves = []
    for family in model.families:
        first = Fraction(family.curve[0].value)
        curves.append(Curve(family.family, [(0, first), *((p.high, Fraction(p.value)) for p in family.curve)]))
    return curve_chart(f"{model.name}: accuracy over severity", curves, x="severity", y="accuracy", steps=True)


def reliability_chart(model: CalibratedModel) -> str:
    """Accuracy over confidence, before and after temperature, beside the diagonal."""
    curves = [Curve("calibrated", [(0.0, 0.0), (1.0, 1.0)])]
    for name, found in (("before", model.before), ("after", model.after)):
        points = [(b.confidence, b.accuracy) for b in found.bins if b.confidence is not None]
        curves.append(Curve(name, points, points))
    title = f"{model.name}: reliability, T = {model.temperature:.2f}"
    return curve_chart(title, curves, x="mean confidence of the bin", y="accuracy of the bin", x_range=(0, 1))


def fragility_chart(trials: Sequence[Trial]) -> str:
    """The accuracy of each reading over the iterations it was allowed."""
    curves = []
    for coefficients, standardised in ((40, False), (20, False), (40, True), (20, True)):
        found = [t for t in trials if (t.coefficients, t.standardised) == (coefficients, standardised)]
        points = [(trial.iterations, trial.accuracy) for trial in found]
        curves.append(Curve(f"{coefficients} {'standardised' if standardised else 'raw'}", points, points))
    return curve_chart("LR-MFCC: accuracy over iterations", curves, x="iterations allowed", y="accuracy", y_range=None)
