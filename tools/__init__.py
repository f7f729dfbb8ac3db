"""What the sessions of noxfile.py run beside the usual tools; the standard library is enough for it."""
