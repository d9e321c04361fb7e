"""Input checks: arguments, their types, and the errors that the checks raise."""
