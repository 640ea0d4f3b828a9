"""Reads an Iceberg table from a copy of a bucket, without a catalog: every snapshot with its schema and rows.

read_table.py FOLDER KEY: the folder of the copy, and the key of the table's metadata. DuckDB reads the data files too.
"""

import json
import sys
from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes
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
    if isinstance(value, Decimal):
        return f"{value:f}"
    # JSON numbers of JavaScript are exact up to 2^53.
    is_exact = not isinstance(value, int) or abs(value) < 2**53
    return value if is_exact else str(value)


def rows_of(arrow):
    return [{name: plain(value) for name, value in row.items()} for row in arrow.to_pylist()]


def with_duckdb(tasks):
    files = [local(task.file.file_path) for task in tasks]
    if not files:
        return [], []
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    arrow = connection.execute("SELECT * FROM read_parquet(?)", [files]).to_arrow_table()
    return rows_of(arrow), lost_values(connection, files, arrow)


def lost_values(connection, files, arrow):
    lost = []
    for name in arrow.column_names:
        values = Counter(value for value in arrow[name].to_pylist() if value is not None)
        ends = [*sorted(values)[:20], *sorted(values)[-20:]]
        for value in ends:
            query = f"SELECT count(*) FROM read_parquet(?) WHERE {name} = ?"
            (count,) = connection.execute(query, [files, value]).fetchone()
            if count != values[value]:
                lost.append([name, plain(value)])
    return lost


def wrong_metrics(tasks, schema):
    """What the metrics of the files say about a column that is not true."""
    wrong = []
    for file in (task.file for task in tasks):
        arrow = pq.read_table(local(file.file_path))
        if len(file.split_offsets) != pq.ParquetFile(local(file.file_path)).num_row_groups:
            wrong.append(["split_offsets", file.split_offsets])
        for field in schema.fields:
            id, column = field.field_id, arrow[field.name]
            wrong += [
                [field.name, name, plain(found), plain(true)]
                for name, found, true in [
                    ("values", file.value_counts[id], len(column)),
                    ("nulls", file.null_value_counts[id], column.null_count),
                    *bounds_of(file, field, column),
                ]
                if found != true
            ]
    return wrong


def bounds_of(file, field, column):
    """The bounds with the values that they should be equal to. Those of strings are truncated."""
    found = [bounds.get(field.field_id) for bounds in (file.lower_bounds, file.upper_bounds)]
    if len(column) == column.null_count:
        return [("bounds", found, [None, None])]
    if str(field.field_type) in ("date", "timestamptz"):
        column = column.cast("int32" if str(field.field_type) == "date" else "int64")
    ends = [end.as_py() for end in pc.min_max(column).values()]
    [low, high] = [None if bound is None else from_bytes(field.field_type, bound) for bound in found]
    if str(field.field_type) != "string":
        return [("lower", low, ends[0]), ("upper", high, ends[1])]
    return [
        ("lower", low, ends[0][:16]),
        ("upper is a limit", high is None or len(high) <= 16 and high.encode() >= ends[1].encode(), True),
    ]


table = StaticTable.from_metadata(f"{FOLDER}/{KEY}", {"py-io-impl": f"{__name__}.FolderIO"})
duckdb_rows, lost = with_duckdb(table.scan().plan_files())
print(
    json.dumps(
        {
            "fields": [[field.field_id, field.name, str(field.field_type)] for field in table.schema().fields],
            "rows": rows_of(table.scan().to_arrow()),
            "duckdb": duckdb_rows,
            "lost": lost,
            "wrong": wrong_metrics(table.scan().plan_files(), table.schema()),
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
