"""Synthetic MIMIC-IV: the embedded default source, with every known edge planted on purpose."""

from workbench.ehr.synthetic.build import GENERATOR_VERSION, make_synthetic
from workbench.ehr.synthetic.presence import edges_present
from workbench.ehr.synthetic.rates import EDGES, Edge

__all__ = ["EDGES", "GENERATOR_VERSION", "Edge", "edges_present", "make_synthetic"]
