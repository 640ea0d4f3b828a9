"""Converts the pages of a snapshot to a Parquet file with the columns of a table, with one thread of DuckDB.

Usage: duckdb_tables.py FOLDER OUTPUT COLUMNS SELECTED

COLUMNS are the members of the documents with their types, as read_json takes them. Prints the rows, the seconds, the
processor seconds and the peak of the resident memory as JSON.
"""

import json
import resource
import sys
import time

import duckdb

folder, output, columns, selected = sys.argv[1:]
started = time.monotonic()
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute("SET preserve_insertion_order = false")
(rows,) = connection.execute(
    f"""COPY (
          SELECT {selected}
          FROM read_json('{folder}/*.ndjson.gz', format = 'newline_delimited', columns = {columns})
        ) TO '{output}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 100000)"""
).fetchone()
seconds = time.monotonic() - started
usage = resource.getrusage(resource.RUSAGE_SELF)
print(
    json.dumps(
        {
            "rows": rows,
            "seconds": seconds,
            "cpuSeconds": usage.ru_utime + usage.ru_stime,
            "peakMegabytes": usage.ru_maxrss / 1024,
        }
    )
)
