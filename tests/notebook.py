"""Runs the cells of a notebook as a reader would, and writes what they print and draw into the file.

python -m tests.notebook docs/first_run.ipynb
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(path: Path) -> dict[str, Any]:
    """Run all code cells in order: the `notebook` with their outputs, and the `names` that they left."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(code_cells(notebook), start=1):
        printed = io.StringIO()
        source = "".join(cell["source"])
        with contextlib.redirect_stdout(printed):
            exec(compile(source, f"{path.name}, cell {number}", "exec"), names)
        cell["execution_count"] = number
        cell["outputs"] = []
        if printed.getvalue():
            lines = printed.getvalue().splitlines(keepends=True)
            cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": lines})
        for figure in map(pyplot.figure, pyplot.get_fignums()):
            image = io.BytesIO()
            figure.savefig(image, format="png", dpi=72, metadata={"Software": None})
            data = {"image/png": base64.b64encode(image.getvalue()).decode()}
            cell["outputs"].append({"output_type": "display_data", "data": data, "metadata": {}})
        pyplot.close("all")
    return {"notebook": notebook, "names": names}


if __name__ == "__main__":
    file = Path(sys.argv[1])
    written = json.dumps(run_cells(file)["notebook"], indent=1, ensure_ascii=False) + "\n"
    file.write_text(written, encoding="utf-8")
