"""Every persisted document as a model, path layouts, errors, clocks, settings."""

from typing import TYPE_CHECKING

from workbench import exporter

if TYPE_CHECKING:
    from workbench.records.audit import (
        Bias,
        Caveat,
        Deviation,
        EvidenceKind,
        Expectation,
        FamilyAudit,
        FamilyDeviations,
        ReportedFault,
        Severity,
        WitnessCase,
        WitnessRows,
    )
    from workbench.records.base import Part, Record, UtcTime, explain
    from workbench.records.canaries import (
        CANARY,
        mark_length,
        new_run_canary,
        run_mark,
        skill_canary,
        with_canary,
    )
    from workbench.records.caveat_review import (
        CONFIRMATIONS,
        CaveatAct,
        CaveatAnchor,
        CaveatEntry,
        CaveatStatus,
        EvidenceLink,
    )
    from workbench.records.clock import Clock, FixedClock, SystemClock, as_utc, utc_text
    from workbench.records.content_paths import ContentPaths, FamilyPaths, find_content
    from workbench.records.counterfactual import (
        ChangedText,
        Counterfactual,
        Difference,
        FamilyCounterfactuals,
        RefusedCondition,
        TextChange,
    )
    from workbench.records.declaration import Declaration, DeclaredField, StageReport, StageScore, StageStatus
    from workbench.records.demonstration import (
        Demonstration,
        DemonstrationList,
        DemonstrationScript,
        ScriptedTurn,
    )
    from workbench.records.dictionary import Dictionary, TableEntry
    from workbench.records.egress import GENESIS, EgressRecord
    from workbench.records.envelope import Envelope, Problem
    from workbench.records.errors import BadInput, ExitCode, Refused, Unavailable, WorkbenchError
    from workbench.records.events import (
        FinishedEvent,
        NoteEvent,
        RunEvent,
        StageEvent,
        StepEvent,
        ViolationEvent,
    )
    from workbench.records.frame_settings import MOST_SETTINGS_BYTES, FrameSettings, plain_settings
    from workbench.records.hashing import blob_hash, file_sha256
    from workbench.records.health import HealthCheck, HealthState
    from workbench.records.identifier_set import IdentifierSet
    from workbench.records.identity import InputHashes, RunIdentity, cell_of
    from workbench.records.lint_record import LintRecord, relinted
    from workbench.records.offset_index import Checkpoint, OffsetIndex
    from workbench.records.output_checks import (
        DatabaseChecks,
        OutputChecks,
        OutputCount,
        OutputFinding,
        OutputRange,
        OutputRelation,
        OutputReport,
        OutputStep,
    )
    from workbench.records.own_database import (
        COLUMN_TYPES,
        NOT_NULL,
        PUBLISHED_DATABASES,
        DatabaseName,
        OwnDatabase,
    )
    from workbench.records.paths import (
        DATABASE_FILE,
        DATABASE_FOLDER,
        DECLARATION_NAME,
        NATIVE,
        OUTPUT_NAME,
        RELEASE_MANIFEST,
        RUNTIME_FOLDER,
        SKILL_FOLDER,
        STAGES_FOLDER,
        WORK_FOLDER,
        DataPaths,
        ReleasePaths,
        RunPaths,
        SourcePaths,
        find_data,
    )
    from workbench.records.plan import AgentChoice, Condition, Limits, RunPlan, SchemaVariant
    from workbench.records.progress import Progress, progress_text, silent
    from workbench.records.regular_file import open_regular, read_regular
    from workbench.records.release_manifest import (
        ReleasedLog,
        ReleasedRun,
        ReleaseFormat,
        ReleaseManifest,
        ReleaseSource,
    )
    from workbench.records.release_record import ReleaseRecord
    from workbench.records.review_session import LONGEST_GAP_S, ReviewSession, SessionAct, SessionEvent
    from workbench.records.rule_acceptance import AcceptedRow, AcceptedRows
    from workbench.records.run import (
        EgressSummary,
        RunResult,
        RunRow,
        RunState,
        SandboxReport,
        Verdict,
        said_verdict,
    )
    from workbench.records.run_audit import FailureKind, RunAudit, RunMark
    from workbench.records.schema_variant import VariantPart, VariantTable, VariantTables
    from workbench.records.score import (
        NO_GROUP,
        OTHER_GROUPS,
        ColumnScore,
        GroupScore,
        KeyScore,
        ScoreReport,
        StrictCheck,
        TargetScore,
    )
    from workbench.records.selftest import Rehearsal, SelfTest, SelfTestReport, VariantCheck
    from workbench.records.settings import (
        DEFAULT_ORIGIN,
        MODEL_KEY_VARIABLE,
        Configured,
        LintSettings,
        Settings,
        load_settings,
        read_settings,
    )
    from workbench.records.sign_off import (
        Adjudication,
        Affiliation,
        Decision,
        Opening,
        Rating,
        ReviewerId,
        ReviewerNames,
        ReviewVerdict,
        SealedVerdict,
        SignOff,
    )
    from workbench.records.skill import Skill, SkillFrontmatter
    from workbench.records.skill_draft import SkillDraft
    from workbench.records.source import (
        SOURCE_NAME,
        SYNTHETIC_NAME,
        Concept,
        ConceptSet,
        Reference,
        Source,
        TableFile,
        TaskDatabase,
    )
    from workbench.records.stages import (
        RESULT_STAGE,
        DatabaseStages,
        FamilyStages,
        Stage,
        StageColumn,
        StageKey,
    )
    from workbench.records.task import (
        UNCHANGED,
        ColumnType,
        Family,
        KeptTable,
        KeyColumn,
        Mode,
        RuleTime,
        ScoredColumn,
        Target,
        Task,
        Thresholds,
    )
    from workbench.records.terminal import Draft, RecoveryFile, ScreenState, TerminalSession
    from workbench.records.toml_text import parse_toml
    from workbench.records.trajectory import (
        Observation,
        SessionSummary,
        Step,
        StepSource,
        ToolCall,
        ToolKind,
        TrajectorySummary,
        Usage,
        UsageCount,
    )
    from workbench.records.violation import Level, LintReport, Place, RuleOutcome, Violation
    from workbench.records.worked_example import (
        ExampleRow,
        ExampleStay,
        IntermediateStep,
        MappedConcept,
        WorkedExample,
    )
else:
    __getattr__ = exporter(
        __name__,
        {
            "audit": (
                "Bias", "Caveat", "Deviation", "EvidenceKind", "Expectation", "FamilyAudit",
                "FamilyDeviations", "ReportedFault", "Severity", "WitnessCase", "WitnessRows",
            ),
            "base": ("Part", "Record", "UtcTime", "explain"),
            "canaries": (
                "CANARY", "mark_length", "new_run_canary", "run_mark", "skill_canary", "with_canary",
            ),
            "caveat_review": (
                "CONFIRMATIONS", "CaveatAct", "CaveatAnchor", "CaveatEntry", "CaveatStatus", "EvidenceLink",
            ),
            "clock": ("Clock", "FixedClock", "SystemClock", "as_utc", "utc_text"),
            "content_paths": ("ContentPaths", "FamilyPaths", "find_content"),
            "counterfactual": (
                "ChangedText", "Counterfactual", "Difference", "FamilyCounterfactuals", "RefusedCondition",
                "TextChange",
            ),
            "declaration": ("Declaration", "DeclaredField", "StageReport", "StageScore", "StageStatus"),
            "demonstration": ("Demonstration", "DemonstrationList", "DemonstrationScript", "ScriptedTurn"),
            "dictionary": ("Dictionary", "TableEntry"),
            "egress": ("GENESIS", "EgressRecord"),
            "envelope": ("Envelope", "Problem"),
            "errors": ("BadInput", "ExitCode", "Refused", "Unavailable", "WorkbenchError"),
            "events": (
                "FinishedEvent", "NoteEvent", "RunEvent", "StageEvent", "StepEvent", "ViolationEvent",
            ),
            "frame_settings": ("MOST_SETTINGS_BYTES", "FrameSettings", "plain_settings"),
            "hashing": ("blob_hash", "file_sha256"),
            "health": ("HealthCheck", "HealthState"),
            "identifier_set": ("IdentifierSet",),
            "identity": ("InputHashes", "RunIdentity", "cell_of"),
            "output_checks": (
                "DatabaseChecks", "OutputChecks", "OutputCount", "OutputFinding", "OutputRange",
                "OutputRelation", "OutputReport", "OutputStep",
            ),
            "lint_record": ("LintRecord", "relinted"),
            "offset_index": ("Checkpoint", "OffsetIndex"),
            "own_database": (
                "COLUMN_TYPES", "NOT_NULL", "PUBLISHED_DATABASES", "DatabaseName", "OwnDatabase",
            ),
            "paths": (
                "NATIVE", "DATABASE_FILE", "DATABASE_FOLDER", "DECLARATION_NAME", "OUTPUT_NAME",
                "RELEASE_MANIFEST", "RUNTIME_FOLDER", "SKILL_FOLDER", "STAGES_FOLDER", "WORK_FOLDER",
                "DataPaths", "ReleasePaths", "RunPaths", "SourcePaths", "find_data",
            ),
            "plan": ("AgentChoice", "Condition", "Limits", "RunPlan", "SchemaVariant"),
            "progress": ("Progress", "progress_text", "silent"),
            "regular_file": ("open_regular", "read_regular"),
            "release_manifest": (
                "ReleaseFormat", "ReleaseManifest", "ReleaseSource", "ReleasedLog", "ReleasedRun",
            ),
            "release_record": ("ReleaseRecord",),
            "review_session": ("LONGEST_GAP_S", "ReviewSession", "SessionAct", "SessionEvent"),
            "run_audit": ("FailureKind", "RunAudit", "RunMark"),
            "rule_acceptance": ("AcceptedRow", "AcceptedRows"),
            "run": (
                "EgressSummary", "RunResult", "RunRow", "RunState", "SandboxReport", "Verdict",
                "said_verdict",
            ),
            "score": (
                "NO_GROUP", "OTHER_GROUPS", "ColumnScore", "GroupScore", "KeyScore", "ScoreReport",
                "StrictCheck", "TargetScore",
            ),
            "schema_variant": ("VariantPart", "VariantTable", "VariantTables"),
            "selftest": ("Rehearsal", "SelfTest", "SelfTestReport", "VariantCheck"),
            "settings": (
                "DEFAULT_ORIGIN", "MODEL_KEY_VARIABLE", "Configured", "LintSettings", "Settings",
                "load_settings", "read_settings",
            ),
            "sign_off": (
                "Adjudication", "Affiliation", "Decision", "Opening", "Rating", "ReviewVerdict",
                "ReviewerId", "ReviewerNames", "SealedVerdict", "SignOff",
            ),
            "skill": ("Skill", "SkillFrontmatter"),
            "skill_draft": ("SkillDraft",),
            "source": (
                "SOURCE_NAME", "SYNTHETIC_NAME", "Concept", "ConceptSet", "Reference", "Source", "TableFile",
                "TaskDatabase",
            ),
            "stages": (
                "RESULT_STAGE", "DatabaseStages", "FamilyStages", "Stage", "StageColumn", "StageKey",
            ),
            "task": (
                "UNCHANGED", "ColumnType", "Family", "KeptTable", "KeyColumn", "Mode", "RuleTime",
                "ScoredColumn", "Target", "Task", "Thresholds",
            ),
            "terminal": ("Draft", "RecoveryFile", "ScreenState", "TerminalSession"),
            "toml_text": ("parse_toml",),
            "trajectory": (
                "Observation", "SessionSummary", "Step", "StepSource", "ToolCall", "ToolKind",
                "TrajectorySummary", "Usage", "UsageCount",
            ),
            "violation": ("Level", "LintReport", "Place", "RuleOutcome", "Violation"),
            "worked_example": (
                "ExampleRow", "ExampleStay", "IntermediateStep", "MappedConcept", "WorkedExample",
            ),
        },
    )  # fmt: skip

__all__ = [
    "CANARY", "COLUMN_TYPES", "CONFIRMATIONS", "DATABASE_FILE", "DATABASE_FOLDER", "DECLARATION_NAME",
    "DEFAULT_ORIGIN", "GENESIS", "LONGEST_GAP_S", "MODEL_KEY_VARIABLE", "MOST_SETTINGS_BYTES", "NATIVE",
    "NOT_NULL", "NO_GROUP", "OTHER_GROUPS", "OUTPUT_NAME", "PUBLISHED_DATABASES", "RELEASE_MANIFEST",
    "RESULT_STAGE", "RUNTIME_FOLDER", "SKILL_FOLDER", "SOURCE_NAME", "STAGES_FOLDER", "SYNTHETIC_NAME",
    "UNCHANGED", "WORK_FOLDER", "AcceptedRow", "AcceptedRows", "Adjudication", "Affiliation", "AgentChoice",
    "BadInput", "Bias", "Caveat", "CaveatAct", "CaveatAnchor", "CaveatEntry", "CaveatStatus", "ChangedText",
    "Checkpoint", "Clock", "ColumnScore", "ColumnType", "Concept", "ConceptSet", "Condition", "Configured",
    "ContentPaths", "Counterfactual", "DataPaths", "DatabaseChecks", "DatabaseName", "DatabaseStages",
    "Decision", "Declaration", "DeclaredField", "Demonstration", "DemonstrationList", "DemonstrationScript",
    "Deviation", "Dictionary", "Difference", "Draft", "EgressRecord", "EgressSummary", "Envelope",
    "EvidenceKind", "EvidenceLink", "ExampleRow", "ExampleStay", "ExitCode", "Expectation", "FailureKind",
    "Family", "FamilyAudit", "FamilyCounterfactuals", "FamilyDeviations", "FamilyPaths", "FamilyStages",
    "FinishedEvent", "FixedClock", "FrameSettings", "GroupScore", "HealthCheck", "HealthState",
    "IdentifierSet", "InputHashes", "IntermediateStep", "KeptTable", "KeyColumn", "KeyScore", "Level",
    "Limits", "LintRecord", "LintReport", "LintSettings", "MappedConcept", "Mode", "NoteEvent",
    "Observation", "OffsetIndex", "Opening", "OutputChecks", "OutputCount", "OutputFinding", "OutputRange",
    "OutputRelation", "OutputReport", "OutputStep", "OwnDatabase", "Part", "Place", "Problem", "Progress",
    "Rating", "Record", "RecoveryFile", "Reference", "Refused", "RefusedCondition", "Rehearsal",
    "ReleaseFormat", "ReleaseManifest", "ReleasePaths", "ReleaseRecord", "ReleaseSource", "ReleasedLog",
    "ReleasedRun", "ReportedFault", "ReviewSession", "ReviewVerdict", "ReviewerId", "ReviewerNames",
    "RuleOutcome", "RuleTime", "RunAudit", "RunEvent", "RunIdentity", "RunMark", "RunPaths", "RunPlan",
    "RunResult", "RunRow", "RunState", "SandboxReport", "SchemaVariant", "ScoreReport", "ScoredColumn",
    "ScreenState", "ScriptedTurn", "SealedVerdict", "SelfTest", "SelfTestReport", "SessionAct",
    "SessionEvent", "SessionSummary", "Settings", "Severity", "SignOff", "Skill", "SkillDraft",
    "SkillFrontmatter", "Source", "SourcePaths", "Stage", "StageColumn", "StageEvent", "StageKey",
    "StageReport", "StageScore", "StageStatus", "Step", "StepEvent", "StepSource", "StrictCheck",
    "SystemClock", "TableEntry", "TableFile", "Target", "TargetScore", "Task", "TaskDatabase",
    "TerminalSession", "TextChange", "Thresholds", "ToolCall", "ToolKind", "TrajectorySummary",
    "Unavailable", "Usage", "UsageCount", "UtcTime", "VariantCheck", "VariantPart", "VariantTable",
    "VariantTables", "Verdict", "Violation", "ViolationEvent", "WitnessCase", "WitnessRows",
    "WorkbenchError", "WorkedExample", "as_utc", "blob_hash", "cell_of", "explain", "file_sha256",
    "find_content", "find_data", "load_settings", "mark_length", "new_run_canary", "open_regular",
    "parse_toml", "plain_settings", "progress_text", "read_regular", "read_settings", "relinted",
    "run_mark", "said_verdict", "silent", "skill_canary", "utc_text", "with_canary",
]  # fmt: skip
