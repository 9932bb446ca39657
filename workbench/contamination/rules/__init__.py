"""One rule a module."""

from workbench.contamination.rule import LintRule
from workbench.contamination.rules.agreement import Agreement
from workbench.contamination.rules.answer_copy import AnswerCopy
from workbench.contamination.rules.came_back import CameBack
from workbench.contamination.rules.canaries import Canaries
from workbench.contamination.rules.catalog_probing import CatalogProbing
from workbench.contamination.rules.grader_gaming import GraderGaming
from workbench.contamination.rules.hidden_copies import HiddenCopies
from workbench.contamination.rules.hidden_names import HiddenNames
from workbench.contamination.rules.hidden_sql import HiddenSql
from workbench.contamination.rules.network import Network
from workbench.contamination.rules.no_work import NoWork
from workbench.contamination.rules.opaque_code import OpaqueCode
from workbench.contamination.rules.outside_paths import OutsidePaths
from workbench.contamination.rules.prior_runs import PriorRuns
from workbench.contamination.rules.removed_tables import RemovedTables
from workbench.contamination.rules.secrets import Secrets
from workbench.contamination.rules.skill_exposure import SkillExposure
from workbench.contamination.rules.sql_similarity import SqlSimilarity
from workbench.contamination.rules.tampering import Tampering
from workbench.contamination.rules.web_search import WebSearch

DEFAULT_RULES: tuple[LintRule, ...] = (
    RemovedTables(),
    HiddenNames(),
    CatalogProbing(),
    CameBack(),
    OutsidePaths(),
    Network(),
    WebSearch(),
    Secrets(),
    Canaries(),
    HiddenCopies(),
    HiddenSql(),
    SkillExposure(),
    PriorRuns(),
    Tampering(),
    GraderGaming(),
    NoWork(),
    OpaqueCode(),
    AnswerCopy(),
    Agreement(),
    SqlSimilarity(),
)

__all__ = ["DEFAULT_RULES"]
