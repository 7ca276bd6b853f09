"""Game records: the log database, the lines it is exported as, and a queue for those who must not wait."""

from ofc_env.records.database import Records

__all__ = ["Records"]
