"""The rooms of the house stand side by side, and are installed as sub-packages of `deniable`.

So `deniable` is the one name taken in site-packages. Its folder also holds relative links to the
rooms, for every tool that reads the tree.
"""

from setuptools import find_packages, setup

ROOMS = (
    *("analysis", "classroom", "cli", "client", "lab", "publication", "reanalysis", "results"),
    *("server", "study", "templates"),
)

folders = {"deniable": "deniable", **{f"deniable.{room}": room for room in ROOMS}}
within = {
    f"{package}.{one}" for package, folder in folders.items() for one in find_packages(folder)
}
setup(package_dir=folders, packages=sorted({*folders, *within}))
