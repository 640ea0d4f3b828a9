-- load.sh replaces the names in <% %> with the Snowflake CLI.
CREATE TABLE IF NOT EXISTS <% table %> (key VARCHAR PRIMARY KEY, document VARIANT NOT NULL);
CREATE OR REPLACE TEMPORARY STAGE longshore_records;
CREATE OR REPLACE TEMPORARY TABLE staged (op VARCHAR, key VARCHAR, document VARCHAR);
PUT file://<% file %> @longshore_records;
COPY INTO staged FROM @longshore_records
  FILE_FORMAT = (TYPE = CSV FIELD_DELIMITER = '0x01' ESCAPE_UNENCLOSED_FIELD = NONE NULL_IF = ());

BEGIN;
DELETE FROM <% table %> WHERE <% begin %>;
-- 'd' allows repeated members, of which the last one counts. A document that Snowflake refuses becomes a string. A set
-- that is applied again changes nothing.
MERGE INTO <% table %> AS target
USING (
  SELECT op, key, COALESCE(TRY_PARSE_JSON(document, 'd'), TO_VARIANT(document)) AS document
  FROM staged
  QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY op) = 1
) AS source
ON target.key = source.key
WHEN MATCHED AND source.op = 'd' THEN DELETE
WHEN MATCHED AND TO_JSON(target.document) <> TO_JSON(source.document) THEN UPDATE SET document = source.document
WHEN NOT MATCHED AND source.op <> 'd' THEN INSERT (key, document) VALUES (source.key, source.document);
COMMIT;
