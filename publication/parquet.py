"""reports.parquet: the columns of reports.csv, if the package pyarrow is installed."""

import importlib
import io
from importlib.util import find_spec

from deniable.publication.material import Material
from deniable.publication.weighting import COLUMN as WEIGHT


def parquet_available() -> bool:
    """Return whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


def parquet_file(material: Material) -> bytes:
    """Write reports.parquet."""
    pyarrow = importlib.import_module("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    codes = {
        column.name: pyarrow.array(column.codes, pyarrow.string())
        for column in material.table.columns
    }
    if (weights := material.weights) is not None:
        codes[WEIGHT] = pyarrow.array(weights, pyarrow.float64())
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(codes), file)
    return file.getvalue()
