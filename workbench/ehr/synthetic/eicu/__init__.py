"""Synthetic eICU-CRD: hospitals with their own habits of charting, and every edge of the tasks on it."""

from workbench.ehr.synthetic.scripts import Recipe

EICU = Recipe(
    database="eicu",
    version="7",
    package="workbench.ehr.synthetic.eicu",
    global_scripts=("random", "population"),
    batch_scripts=("stays", "course", "charting", "fluids", "planted", "organs"),
    table_scripts=("stay_tables", "chart_tables", "bedside_tables", "other_tables"),
    dictionary_script="dictionary_tables",
    lists={
        "hospitals": "hospital_row",
        "edges": "edge_row",
        "planted_nursing": "planted_nursing",
        "planted_exams": "planted_exam",
        "planted_outputs": "planted_output",
        "planted_airways": "planted_airway",
        "planted_fields": "planted_field",
        "planted_labs": "planted_lab",
        "planted_infusions": "planted_infusion",
        "planted_breaths": "planted_breath",
        "planted_monitors": "planted_monitor",
    },
    batch_patients=256,
)
"""``version`` goes up whenever any patient would look different."""
