"""Synthetic eICU-CRD: hospitals with their own habits of charting, and every edge of the two tasks."""

from workbench.ehr.synthetic.scripts import Recipe

EICU = Recipe(
    database="eicu",
    version="3",
    package="workbench.ehr.synthetic.eicu",
    global_scripts=("random", "population"),
    batch_scripts=("stays", "course", "charting", "fluids", "planted"),
    table_scripts=("stay_tables", "chart_tables", "other_tables"),
    dictionary_script="dictionary_tables",
    lists={
        "hospitals": "hospital_row",
        "edges": "edge_row",
        "planted_nursing": "planted_nursing",
        "planted_exams": "planted_exam",
        "planted_outputs": "planted_output",
        "planted_airways": "planted_airway",
        "planted_fields": "planted_field",
    },
    batch_patients=256,
)
"""``version`` goes up whenever any patient would look different."""
