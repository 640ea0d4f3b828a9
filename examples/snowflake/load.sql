-- load.sh replaces the names in <% %> with the Snowflake CLI.
CREATE TABLE IF NOT EXISTS <% table %> (key VARCHAR PRIMARY KEY, document VARIANT NOT NULL);
CREATE OR REPLACE TEMPORARY STAGE longshore_records;
CREATE OR REPLACE TEMPORARY TABLE staged (line VARCHAR);
PUT file://<% file %> @longshore_records;
COPY INTO staged FROM @longshore_records
  FILE_FORMAT = (TYPE = CSV FIELD_DELIMITER = NONE ESCAPE_UNENCLOSED_FIELD = NONE);

BEGIN;
DELETE FROM <% table %> WHERE <% begin %>;
-- A document without an id is its own key. A set that is applied again changes nothing.
MERGE INTO <% table %> AS target
USING (
  SELECT op, document, COALESCE(NULLIF(TO_JSON(document['<% id_field %>']), 'null'), MD5(TO_JSON(document))) AS key
  FROM (
    SELECT op, COALESCE(record['after'], record['before']) AS document
    FROM (SELECT JSON_EXTRACT_PATH_TEXT(line, 'op') AS op, PARSE_JSON(line) AS record FROM staged) AS parsed
  ) AS whole
  QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY op) = 1
) AS source
ON target.key = source.key
WHEN MATCHED AND source.op = 'd' THEN DELETE
WHEN MATCHED AND TO_JSON(target.document) <> TO_JSON(source.document) THEN UPDATE SET document = source.document
WHEN NOT MATCHED AND source.op <> 'd' THEN INSERT (key, document) VALUES (source.key, source.document);
COMMIT;
