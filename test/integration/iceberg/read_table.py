"""Reads an Iceberg table from a copy of a bucket, without a catalog: every snapshot with its schema and rows.

read_table.py FOLDER KEY: the folder of the copy, and the key of the table's metadata. DuckDB reads the data files too.
"""

import json
import sys
from datetime import date, datetime
from decimal import Decimal

import duckdb
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import StaticTable

FOLDER, KEY = sys.argv[1:]


class FolderIO(PyArrowFileIO):
    """Finds what the bucket has in the copy."""

    def new_input(self, location):
        return super().new_input(local(location))


def local(location):
    return location.replace("s3://bucket/", f"{FOLDER}/")


def plain(value):
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    # JSON numbers of JavaScript are exact up to 2^53.
    is_exact = not isinstance(value, int) or abs(value) < 2**53
    return value if is_exact and not isinstance(value, Decimal) else str(value)


def rows_of(arrow):
    return [{name: plain(value) for name, value in row.items()} for row in arrow.to_pylist()]


def with_duckdb(tasks):
    files = [local(task.file.file_path) for task in tasks]
    if not files:
        return []
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    return rows_of(connection.execute("SELECT * FROM read_parquet(?)", [files]).to_arrow_table())


table = StaticTable.from_metadata(f"{FOLDER}/{KEY}", {"py-io-impl": f"{__name__}.FolderIO"})
print(
    json.dumps(
        {
            "fields": [[field.field_id, field.name, str(field.field_type)] for field in table.schema().fields],
            "rows": rows_of(table.scan().to_arrow()),
            "duckdb": with_duckdb(table.scan().plan_files()),
            "snapshots": [
                {
                    "run": snapshot.summary["longshore.run-id"],
                    "fields": [
                        [field.field_id, field.name, str(field.field_type)]
                        for field in table.scan(snapshot_id=snapshot.snapshot_id).projection().fields
                    ],
                    "rows": rows_of(table.scan(snapshot_id=snapshot.snapshot_id).to_arrow()),
                }
                for snapshot in table.snapshots()
            ],
        }
    )
)
