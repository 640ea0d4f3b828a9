"""The command lines of Snowflake and BigQuery as far as the loaders in examples/ use them, on DuckDB.

The SQL must be valid in the dialect of the warehouse. Usage: emulated_warehouse.py DATABASE PROGRAM ARGUMENT...
"""

import re
import sys

import duckdb
import sqlglot

database, program, *arguments = sys.argv[1:]
db = duckdb.connect(database)
db.execute("CREATE SCHEMA IF NOT EXISTS shop")


def load(table, path):
    """Values without quotes and escapes."""
    db.execute(f"CREATE OR REPLACE TABLE {table} (op VARCHAR, key VARCHAR, document VARCHAR)")
    with open(path, encoding="utf-8", newline="\n") as lines:
        rows = [line.rstrip("\n").split("\x01") for line in lines]
    if rows:
        db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)


def duckdb_sql(statement):
    """A text that is no JSON is NULL, and becomes a string."""
    text = statement.sql(dialect="duckdb", comments=False)
    for call in ("CAST(document AS VARIANT)", "CAST(TO_JSON(document) AS TEXT)"):
        text = text.replace(call, "TO_JSON(document)")
    return text.replace("SAFE.JSON(document)", "TRY_CAST(document AS JSON)").replace("VARIANT", "JSON")


def run(sql, dialect):
    uploaded = None
    if dialect == "snowflake":
        # Without it, a repeated member is refused.
        assert re.findall(r"PARSE_JSON\([^)]*\)", sql) == ["PARSE_JSON(document, 'd')"], sql
    for statement in sqlglot.parse(sql, read=dialect, error_level=sqlglot.ErrorLevel.RAISE):
        text = statement.sql(dialect=dialect, comments=False)
        put = re.match(r"PUT '?file://([^ ']+)'? @longshore_records", text)
        if put:
            uploaded = put[1]
        elif text.startswith("COPY INTO staged"):
            assert re.search(r"FIELD_DELIMITER='0x01'.*ESCAPE_UNENCLOSED_FIELD=NONE", text), text
            load("staged", uploaded)
        elif " STAGE " not in text:
            db.execute(duckdb_sql(statement))


if program == "snow":
    command, flag, path, *variables = arguments
    assert (command, flag) == ("sql", "--filename")
    with open(path) as file:
        sql = file.read()
    assert variables[::2] == ["-D"] * (len(variables) // 2)
    for variable in variables[1::2]:
        name, value = variable.split("=", 1)
        sql = sql.replace(f"<% {name} %>", value)
    run(sql.split("\n", 1)[1], "snowflake")
elif arguments[0] == "load":
    *flags, table, path, schema = arguments[1:]
    assert flags == ["--replace", "--source_format=CSV", "--field_delimiter=\x01", "--quote="], flags
    assert schema == "op:STRING,key:STRING,document:STRING"
    load(table, path)
elif arguments[0] == "query":
    assert arguments[1:] == ["--use_legacy_sql=false"]
    run(sys.stdin.read().split("\n", 1)[1], "bigquery")
elif arguments[0] == "rows":
    print(db.execute(f"SELECT to_json(list({{'key': key, 'document': document}})) FROM {arguments[1]}").fetchone()[0])
