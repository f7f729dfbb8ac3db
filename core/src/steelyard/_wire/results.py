"""Placeholder while the wire is being built."""

result_from_json = result_schema = result_to_json = None
