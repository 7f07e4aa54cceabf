"""Robustness and calibration of classifiers: corruptions at evaluation time, metrics, and what a third party checks."""
