"""The command line of steelyard. What it does is done through ``steelyard``; nothing here is for import by others."""
