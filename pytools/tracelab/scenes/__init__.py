"""Controlled scenes: intervals drawn, sounds rendered, perturbations applied."""
