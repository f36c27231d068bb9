"""Explanations of breaks: the legacy row behind each, clusters of like breaks, and their causes."""
