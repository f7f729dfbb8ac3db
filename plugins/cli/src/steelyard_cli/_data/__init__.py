"""Data as people have it: files of rows or of recorded conversations, read into located items."""
