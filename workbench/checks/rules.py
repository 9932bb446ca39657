"""The rules that content is checked by: what each asks for, and what to do where it is not met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """``says``: what is asked for; ``remedy``: of findings that lack their own; ``warning``: may stand."""

    says: str
    remedy: str
    warning: bool = False


RULES: Mapping[str, Rule] = {
    "unreadable": Rule(
        "every file can be read as what it is", "Write or correct the file, or take out what names it."
    ),
    # files
    "file-unknown": Rule(
        "every file and folder is one that the program reads", "Rename it, or move it elsewhere."
    ),
    "file-link": Rule("no file is a symbolic link", "Put the file itself there."),
    "file-size": Rule(
        "no file is larger than a person can review", "Cut it down; data belong into a source."
    ),
    "file-hidden": Rule("no text holds characters that cannot be seen", "Take the characters out."),
    "file-secret": Rule(
        "no text holds a key, token or password", "Take it out, and have it replaced: it is known now."
    ),
    "file-personal": Rule(
        "no text holds what names or reaches a person", "Take it out, or make it up so that it shows."
    ),
    "links": Rule("relative links lead somewhere", "Correct the link, or write the file that it leads to."),
    # families
    "task-columns": Rule(
        "a reference gives every column that its tasks ask for", "Give it, or correct task.toml."
    ),
    "family-sources": Rule("a family says where its rules come from", "Name papers, revision and reports."),
    "family-files": Rule(
        "a family has every part", "Write it; workbench task new shows what such a file looks like."
    ),
    "family-task": Rule(
        "every task's folder is listed in family.toml", "Add it to tasks in family.toml, or take it out."
    ),
    "names-apart": Rule("a name or alias means one family or task", "Choose another alias."),
    "time-frame": Rule(
        "the rules of the reference and of the time frame are the same",
        "Name each rule once in the SQL (-- rule: <name>) and once in family.toml ([[time_frame]]).",
    ),
    "reference-reads": Rule(
        "a reference reads tables of its database, and concepts that depend on no tie",
        "Read raw tables, or one of the concepts in docs/references.md.",
    ),
    "reference-rules": Rule(
        "a reference names its rules", "Write a comment '-- rule: <name> (words)' at each rule."
    ),
    "reference-sql": Rule("a reference is one statement that can be read", "Write one SELECT."),
    "naive-sql": Rule("a naive derivation is one statement that can be read", "Write one SELECT."),
    "naive-reads": Rule("a naive derivation reads raw tables", "Read tables of the database only."),
    "output-checks": Rule("the checks of an output fit its task and the raw tables", "Correct the check."),
    "stages": Rule(
        "stages are SELECTs over steps of the reference that give what they declare", "Correct the stage."
    ),
    "worked-example": Rule("a worked example fits the reference and the tables", "Correct the example."),
    "deviation-witness": Rule("a deviation has a witness case", "Name a case of the family's audit."),
    # tasks
    "task-published": Rule("a published task is as it was published", "Write what the published table says."),
    "task-skills": Rule(
        "a task names its family's skill, and three or fewer", "Name the skills that it needs."
    ),
    "task-decoy": Rule("a decoy is a skill of another family", "Name another skill."),
    "task-targets": Rule(
        "targets and reference files are the same", "Declare the target, or take the file out."
    ),
    "task-own": Rule(
        "a task on a database of one's own has no derived tables",
        'Write mode = "raw", removed_tables = [], and no kept_tables or reference_concept.',
    ),
    # texts
    "instruction-columns": Rule("an instruction names every column", "Write each in code type."),
    "instruction-items": Rule("an instruction holds no item ids", "Say it in a clinician's words."),
    "instruction-tables": Rule("an instruction names no tables", "Say it in a clinician's words."),
    "instruction-list": Rule("a list in an instruction is meant", "Put an empty line before it."),
    "instruction-sparse": Rule(
        "an instruction tells no more than it has to", "Move it to the specification."
    ),
    "spec-columns": Rule("a specification names every column", "Write each in code type."),
    "spec-items": Rule(
        "a specification holds no item ids", "Say which quantity is meant, not where it is found."
    ),
    "spec-tables": Rule("a specification names no tables", "Say what is computed, not where it is found."),
    "spec-list": Rule("a list in a specification is meant", "Put an empty line before it."),
    "spec-recipe": Rule("a specification is no recipe", "Say what is computed, not where it is found."),
    "spec-equal": Rule("tasks on one database have one specification", "Make the texts equal."),
    # skills
    "skill-length": Rule("a skill is short enough to be read", "Cut it down; move details into references/."),
    "skill-description": Rule(
        "a description says, in the third person, what a skill does and when to use it",
        "Say 'Use when …', without 'I' or 'you', without < and >.",
    ),
    "skill-alike": Rule(
        "two skills are told apart by their descriptions", "Say what sets it apart.", warning=True
    ),
    "skill-sections": Rule("a skill has the sections of a skill", "Add a heading that starts so."),
    "skill-code": Rule("a skill is no program", "Say in words what the code does."),
    "skill-sql": Rule("a skill holds no SQL", "Say in words what the statement does."),
    "skill-path": Rule("a skill names no places of a machine", "Name tables and columns, not files."),
    "skill-task": Rule("a skill knows of no task and no scoring", "Take it out."),
    "skill-list": Rule("a list in a skill is meant", "Put an empty line before it."),
    "skill-answer": Rule(
        "a skill holds neither the reference's SQL nor expected values", "Say the rule, not the answer."
    ),
    "skill-network": Rule("a skill fetches nothing", "Take it out; runs have no network."),
    "skill-injection": Rule("a skill does not speak to the agent about its orders", "Take it out."),
    "skill-escape": Rule("a skill's links stay in its folder", "Put the file into the skill's folder."),
    "skill-script": Rule(
        "a skill's script says what it needs",
        "Name interpreter and packages in 'compatibility', and the interpreter in the first line (#!).",
    ),
    "skill-mode": Rule("a skill's script can be executed", "chmod +x it.", warning=True),
    "skill-orphan": Rule(
        "every file of a skill is mentioned in it", "Mention it in SKILL.md, or take it out.", warning=True
    ),
    "skill-nested": Rule("references are one level deep", "Link it from SKILL.md.", warning=True),
    # audits
    "audit-family": Rule("an audit belongs to a family", "Rename it after the family, or take it out."),
    "audit-witnesses": Rule(
        "an audit has enough witness cases", "Write cases: rows, and the value they give."
    ),
    "audit-rules": Rule("a caveat names rules of the reference", "Name a rule of the reference's comments."),
    "audit-text": Rule("a caveat has an explanation and a source", "Say both."),
    "audit-rows": Rule("rows of a case fit the tables", "Name tables and columns of the database."),
    "audit-database": Rule("a case is on a database of its family", "Name the database of one of its tasks."),
    "audit-reported": Rule("a reported fault is answered once", "Answer it in one audit."),
    # dictionaries
    "counterfactual-change": Rule(
        "a counterfactual's changes fit their texts",
        "Make `find` the exact words of the file, and name what is there.",
    ),
    "counterfactual-gone": Rule("a counterfactual leaves nothing of the old rule", "Change it there, too."),
    "counterfactual-rule": Rule(
        "a counterfactual changes a rule of its reference", "Name a rule of the reference's comments."
    ),
    "counterfactual-differs": Rule(
        "a counterfactual declares which rows change, without the reference's SQL",
        "Give scored columns, and keys by a SELECT written from the definition.",
    ),
    "dictionary-tables": Rule("a dictionary has every table and concept", "Describe it, columns in order."),
    "dictionary-columns": Rule("a dictionary has a table's columns, in order", "Write what is published."),
    "dictionary-text": Rule("every meaning says something, in one line", "Say it in a few words."),
    "dictionary-words": Rule("a dictionary does not tell which database it is of", "Say it otherwise."),
    "dictionary-names": Rule("identifiers are right, and in code type", "Write `schema.table` or `column`."),
    "dictionary-recipe": Rule("a meaning is no recipe", "Say what is in the column."),
}
"""By id, in the order of the files they are about."""
