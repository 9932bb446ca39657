"""One module and one style sheet a screen; none is imported before it is opened."""
