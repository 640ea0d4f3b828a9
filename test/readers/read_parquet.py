"""Prints what two readers find in a Parquet file, in a form in which nothing is rounded.

Usage: read_parquet.py FILE
"""

import decimal
import json
import struct
import sys

import duckdb
import pyarrow
import pyarrow.parquet

path = sys.argv[1]
decimal.getcontext().prec = 60


def exact(value):
    """Integers, and decimals without their point, as text; doubles with all bits."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    if isinstance(value, decimal.Decimal):
        sign, digits, _ = value.as_tuple()
        return str(int("".join(map(str, digits))) * (-1 if sign else 1))
    return str(value)


def arrow_column(column):
    if pyarrow.types.is_timestamp(column.type):
        column = column.cast(pyarrow.int64())
    if pyarrow.types.is_date(column.type):
        column = column.cast(pyarrow.int32())
    return [exact(value) for value in column.to_pylist()]


def duckdb_expression(name, kind):
    if kind.startswith("TIMESTAMP"):
        return f'epoch_us("{name}")'
    if kind == "DATE":
        return f"datediff('day', DATE '1970-01-01', \"{name}\")"
    return f'"{name}"'


file = pyarrow.parquet.ParquetFile(path)
table = file.read()
db = duckdb.connect()
described = db.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
expressions = [duckdb_expression(name, kind) for name, kind, *_ in described]
rows = db.execute(f"SELECT {', '.join(expressions)} FROM read_parquet('{path}')").fetchall()
groups = [file.metadata.row_group(index) for index in range(file.metadata.num_row_groups)]
print(
    json.dumps(
        {
            "arrow": {
                "types": {field.name: str(field.type) for field in file.schema_arrow},
                "ids": {
                    field.name: int((field.metadata or {}).get(b"PARQUET:field_id", -1))
                    for field in file.schema_arrow
                },
                "columns": {name: arrow_column(table[name]) for name in table.column_names},
            },
            "duckdb": {
                "types": {name: kind for name, kind, *_ in described},
                "columns": {
                    name: [exact(row[index]) for row in rows]
                    for index, (name, *_) in enumerate(described)
                },
            },
            "groups": [
                {
                    "rows": group.num_rows,
                    "columns": [
                        {
                            "codec": column.compression,
                            "nulls": column.statistics.null_count if column.statistics else None,
                            "hasDictionary": column.has_dictionary_page,
                            "hasRange": bool(column.statistics and column.statistics.has_min_max),
                        }
                        for column in (group.column(index) for index in range(group.num_columns))
                    ],
                }
                for group in groups
            ],
        }
    )
)
