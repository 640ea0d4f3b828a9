"""Reads an Iceberg table with Spark and with Iceberg's Java library.

Prints the rows of its last Iceberg snapshot, how many rows each one has, what `create_changelog_view` finds, the files that
each snapshot adds and removes, and the aggregates that Spark takes from the metrics of the files.

read_with_spark.py JARS ENDPOINT METADATA: the paths of the jars, an S3 endpoint, and the address of the table's metadata.
"""

import json
import os
import sys
from datetime import date, datetime, timedelta
from decimal import Context, Decimal

from pyspark.sql import SparkSession
from pyspark.sql.functions import unix_micros
from pyspark.sql.types import DecimalType

JARS, ENDPOINT, METADATA = sys.argv[1:]
CATALOG = "spark.sql.catalog.test"
OPTIONS = {
    "spark.jars": JARS,
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    CATALOG: "org.apache.iceberg.spark.SparkCatalog",
    f"{CATALOG}.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
    f"{CATALOG}.uri": "jdbc:sqlite::memory:",
    f"{CATALOG}.clients": "1",
    f"{CATALOG}.jdbc.schema-version": "V1",
    f"{CATALOG}.warehouse": "s3://bucket/warehouse",
    f"{CATALOG}.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    f"{CATALOG}.client.region": os.environ["AWS_REGION"],
    f"{CATALOG}.s3.endpoint": ENDPOINT,
    f"{CATALOG}.s3.path-style-access": "true",
    f"{CATALOG}.s3.access-key-id": os.environ["AWS_ACCESS_KEY_ID"],
    f"{CATALOG}.s3.secret-access-key": os.environ["AWS_SECRET_ACCESS_KEY"],
}


def plain(value):
    if isinstance(value, date):
        return value.isoformat()
    # JSON numbers of JavaScript are exact up to 2^53.
    is_exact = not isinstance(value, int) or abs(value) < 2**53
    return value if is_exact else str(value)


def decimal_of(value, scale):
    # PySpark passes small ones with a larger scale than their column has.
    return None if value is None else f"{value.quantize(Decimal(1).scaleb(-scale), context=Context(prec=60)):f}"


def time_of(micros):
    return None if micros is None else (datetime(1970, 1, 1) + timedelta(microseconds=micros)).isoformat() + "+00:00"


def count_of(iterable):
    iterator = iterable.iterator()
    count = 0
    while iterator.hasNext():
        iterator.next()
        count += 1
    return count


def aggregates_of(spark, columns, push_down):
    spark.conf.set("spark.sql.iceberg.aggregate-push-down.enabled", push_down)
    selected = ", ".join(f"min({name}), max({name}), count({name})" for name in columns)
    frame = spark.sql(f"SELECT {selected} FROM test.db.t")
    is_local = "LocalTableScan" in frame._jdf.queryExecution().executedPlan().toString()
    return is_local, [str(value) for value in frame.collect()[0]]


def main():
    builder = SparkSession.builder.master("local[1]")
    for name, value in OPTIONS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sql("CREATE NAMESPACE test.db")
    spark.sql(f"CALL test.system.register_table(table => 'db.t', metadata_file => '{METADATA}')")
    # Python's local time lacks the first and the last year.
    table = spark.table("test.db.t").withColumn("time", unix_micros("time"))
    scales = {field.name: field.dataType.scale for field in table.schema if isinstance(field.dataType, DecimalType)}
    snapshots = spark.sql("SELECT snapshot_id FROM test.db.t.snapshots ORDER BY committed_at").collect()
    counts = [spark.sql(f"SELECT * FROM test.db.t VERSION AS OF {one.snapshot_id}").count() for one in snapshots]
    printed = [
        {
            **{name: plain(value) for name, value in row.asDict().items() if name not in scales},
            **{name: decimal_of(row[name], scale) for name, scale in scales.items()},
            "time": time_of(row["time"]),
        }
        for row in table.collect()
    ]
    spark.sql("CALL test.system.create_changelog_view(table => 'db.t', changelog_view => 'changes')")
    changes = spark.sql("SELECT _change_type, count(*) FROM changes GROUP BY 1").collect()
    java = spark._jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, "test.db.t")
    files = [
        [count_of(java.snapshot(one.snapshot_id).addedDataFiles(java.io())),
         count_of(java.snapshot(one.snapshot_id).removedDataFiles(java.io()))]
        for one in snapshots
    ]
    # Spark computes those of strings itself, since their bounds are truncated.
    exact = [field.name for field in table.schema if field.dataType.simpleString() not in ("string", "double")]
    exact = [name for name in exact if name != "time"]
    from_metrics, computed = aggregates_of(spark, exact, "true"), aggregates_of(spark, exact, "false")
    print(
        json.dumps(
            {
                "rows": printed,
                "snapshots": counts,
                "changes": {kind: count for kind, count in changes},
                "files": files,
                "usesMetrics": [from_metrics[0], computed[0]],
                "metricsAreExact": from_metrics[1] == computed[1],
            }
        )
    )


main()
