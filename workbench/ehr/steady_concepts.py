"""Which public concepts a reference may read: those whose rows depend on no tie, thread or stored order.

Each was built from shuffled tables with one and with several threads; a test does so again.
"""

from __future__ import annotations

STEADY = frozenset({
    "age", "blood_differential", "chemistry", "coagulation", "complete_blood_count", "crrt", "dobutamine",
    "dopamine", "enzyme", "epinephrine", "first_day_lab", "gcs", "icustay_detail", "icustay_hourly",
    "icustay_times", "inflammation", "milrinone", "norepinephrine", "oxygen_delivery", "phenylephrine", "rrt",
    "vasoactive_agent", "vasopressin", "ventilation", "ventilator_setting",
})  # fmt: skip
"""The same rows always, but for ``UNSTEADY_COLUMNS``."""

ROUNDED = frozenset({
    "creatinine_baseline", "first_day_urine_output", "first_day_vitalsign", "kdigo_creatinine",
    "urine_output", "vitalsign",
})  # fmt: skip
"""Sums and means of floats: the same once rounded; a reference rounds before it compares or gives them."""

UNSTEADY_COLUMNS = {"oxygen_delivery": frozenset({"o2_flow", "o2_flow_additional"})}
"""Columns of allowed concepts that depend on a tie: flows charted and stored at one moment."""
