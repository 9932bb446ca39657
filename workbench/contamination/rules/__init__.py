"""One rule a module."""

from workbench.contamination.rule import LintRule
from workbench.contamination.rules.agreement import Agreement
from workbench.contamination.rules.answer_copy import AnswerCopy
from workbench.contamination.rules.catalog_probing import CatalogProbing
from workbench.contamination.rules.hidden_copies import HiddenCopies
from workbench.contamination.rules.hidden_names import HiddenNames
from workbench.contamination.rules.network import Network
from workbench.contamination.rules.opaque_code import OpaqueCode
from workbench.contamination.rules.outside_paths import OutsidePaths
from workbench.contamination.rules.removed_tables import RemovedTables
from workbench.contamination.rules.secrets import Secrets
from workbench.contamination.rules.sql_similarity import SqlSimilarity
from workbench.contamination.rules.tampering import Tampering

DEFAULT_RULES: tuple[LintRule, ...] = (
    RemovedTables(),
    HiddenNames(),
    CatalogProbing(),
    OutsidePaths(),
    Network(),
    Secrets(),
    HiddenCopies(),
    Tampering(),
    OpaqueCode(),
    AnswerCopy(),
    Agreement(),
    SqlSimilarity(),
)

__all__ = ["DEFAULT_RULES"]
