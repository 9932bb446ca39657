"""One module a kind of model API."""
