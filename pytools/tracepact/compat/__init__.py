"""The names, arguments and results of other evaluation packages, computed by this one: change one import."""
