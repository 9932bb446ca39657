"""Synthetic MIMIC-IV and eICU-CRD: the embedded sources, with every known edge planted on purpose."""

from workbench.ehr.synthetic.build import GENERATOR_VERSION, is_current, make_synthetic, synthetic_name
from workbench.ehr.synthetic.eicu import EICU
from workbench.ehr.synthetic.presence import edges_present
from workbench.ehr.synthetic.rates import EDGES, Edge, read_edges

__all__ = [
    "EDGES",
    "EICU",
    "GENERATOR_VERSION",
    "Edge",
    "edges_present",
    "is_current",
    "make_synthetic",
    "read_edges",
    "synthetic_name",
]
