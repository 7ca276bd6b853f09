"""What a cost is called and what kind of decision it was; the thresholds stand in core/review/grades.hpp."""

from __future__ import annotations

from ofc_env._core import GRADES, KINDS, grade_of, is_obvious, kind_of

__all__ = ["BEST", "CLOSE", "FINE", "GRADES", "KINDS", "grade_of", "is_obvious", "kind_of"]

BEST, CLOSE, FINE = GRADES[:3]  # mildest first
