"""``python -m steelyard_cli`` is the command ``steelyard``."""

from steelyard_cli.main import cli

if __name__ == "__main__":
    cli()
