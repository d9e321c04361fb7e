"""What a caller hands over: the checks of arguments, and the errors that they raise."""
