"""The Jinja pages, and the environment of those that are made without an application."""

from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader

FOLDER: Final = Path(__file__).parent

PAGES: Final = Environment(loader=FileSystemLoader(FOLDER), autoescape=True)
