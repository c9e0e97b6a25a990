"""The policy pack: the engine's analyzer calls, answered by the rules."""
