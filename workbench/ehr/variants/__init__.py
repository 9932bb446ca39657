"""Schema variants: the same values under other names, and in other tables."""

from workbench.ehr.variants.check import changed_tables, names_in_database
from workbench.ehr.variants.dictionary import dictionary_markdown, undescribed
from workbench.ehr.variants.files import ensure_variant_files, published_views, variant_bytes
from workbench.ehr.variants.names import NewTable, SchemaNames, schema_names
from workbench.ehr.variants.texts import names_left, new_markdown, new_sql, new_words

__all__ = [
    "NewTable",
    "SchemaNames",
    "changed_tables",
    "dictionary_markdown",
    "ensure_variant_files",
    "names_in_database",
    "names_left",
    "new_markdown",
    "new_sql",
    "new_words",
    "published_views",
    "schema_names",
    "undescribed",
    "variant_bytes",
]
