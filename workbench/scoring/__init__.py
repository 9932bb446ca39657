"""An output against its references: rewards, key agreement, nMAE and the strict pass; and what differs."""

from workbench.scoring.mismatches import Mismatch, mismatches
from workbench.scoring.reference_free import check_output, check_script
from workbench.scoring.stages import first_diverging, score_stages
from workbench.scoring.targets import score_output

__all__ = [
    "Mismatch",
    "check_output",
    "check_script",
    "first_diverging",
    "mismatches",
    "score_output",
    "score_stages",
]
