"""Writes the changes between two snapshots with a full outer join of DuckDB.

Usage: duckdb_changes.py BASE_FOLDER TARGET_FOLDER THREADS

Prints the counts, the seconds, the processor seconds and the peak of the resident memory as JSON.
"""

import json
import pathlib
import resource
import sys
import time

import duckdb

sides = {"base": pathlib.Path(sys.argv[1]), "target": pathlib.Path(sys.argv[2])}
threads = int(sys.argv[3])
started = time.monotonic()
connection = duckdb.connect()
connection.execute(f"SET threads = {threads}")
connection.execute("SET preserve_insertion_order = false")
for side, folder in sides.items():
    connection.execute(
        f"""CREATE VIEW {side} AS
            SELECT json ->> '$.id' AS id, json FROM read_ndjson_objects('{folder}/*.ndjson.gz')"""
    )
output = sides["target"] / "duckdb-changes.json.gz"
connection.execute(
    f"""COPY (
          SELECT CASE WHEN b.id IS NULL THEN 'c' WHEN t.id IS NULL THEN 'd' ELSE 'u' END AS op,
                 coalesce(b.id, t.id) AS id, b.json AS "before", t.json AS "after"
          FROM base b FULL OUTER JOIN target t ON b.id = t.id
          WHERE b.json IS DISTINCT FROM t.json
        ) TO '{output}' (FORMAT json, COMPRESSION gzip)"""
)
seconds = time.monotonic() - started
rows = connection.execute(
    f"SELECT op, count(*) FROM read_ndjson('{output}', columns = {{op: 'VARCHAR'}}) GROUP BY op"
).fetchall()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(
    json.dumps(
        {
            "counts": dict(rows),
            "seconds": seconds,
            "cpuSeconds": usage.ru_utime + usage.ru_stime,
            "peakMegabytes": usage.ru_maxrss / 1024,
        }
    )
)
