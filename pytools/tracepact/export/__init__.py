"""The frame fragment in other tools' languages."""

from tracepact.export.rtamt import EXPORTS, export_contract, to_rtamt

__all__ = ["EXPORTS", "export_contract", "to_rtamt"]
