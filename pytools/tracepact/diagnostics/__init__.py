"""What went wrong, as data: codes, severities, places and ways out; and the renderers that draw it."""
