"""Why breaks are there: the legacy row behind each, and breaks clustered by what they share."""
