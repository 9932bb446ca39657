"""One module a form of input: each writes one table as typed Parquet, or says what is wrong where."""
