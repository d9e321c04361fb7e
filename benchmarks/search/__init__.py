"""Registration without a guess: how often the search finds the pose, how long it takes, and when it may be trusted."""
