"""An output against its references: rewards, key agreement, nMAE and the strict pass."""

from workbench.scoring.targets import score_output

__all__ = ["score_output"]
