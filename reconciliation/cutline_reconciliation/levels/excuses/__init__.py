"""Why a subject is not judged, and the row, event or answer that this rests on."""
