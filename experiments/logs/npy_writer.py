"""Arrays that grow on disk."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class NpyWriter:
    """A `.npy` file written chunk by chunk along its first axis, in the memory of one chunk.

    Args:
        path: the file to write.
        dtype: of the numbers.
        row_shape: of one entry along the first axis, () for a vector.
    """

    def __init__(self, path: Path, dtype: DTypeLike, row_shape: tuple[int, ...] = ()) -> None:
        self.dtype = np.dtype(dtype)
        self.row_shape = row_shape
        self.rows = 0
        self._file = path.open("w+b")
        self._write_header()

    def append(self, chunk: NDArray[Any]) -> None:
        """Add entries: (n, *row_shape) of the same dtype."""
        if chunk.dtype != self.dtype or chunk.shape[1:] != self.row_shape:
            raise ValueError(
                f"cannot append {chunk.dtype} {chunk.shape} to {self.dtype} entries of shape {self.row_shape}"
            )
        self._file.write(np.ascontiguousarray(chunk).data)
        self.rows += len(chunk)

    def close(self) -> None:
        """Write the true length into the header and close the file."""
        if not self._file.closed:
            self._file.seek(0)
            self._write_header()
            self._file.close()

    def _write_header(self) -> None:
        # numpy leaves blanks for the digits of the first axis, so the header keeps its length as it grows.
        header = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.rows, *self.row_shape)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def __enter__(self) -> NpyWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
