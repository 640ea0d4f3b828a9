-- load.sh replaces the names in <% %>.
CREATE TABLE IF NOT EXISTS <% table %> (key STRING NOT NULL, document JSON NOT NULL);

BEGIN TRANSACTION;
DELETE FROM <% table %> WHERE <% begin %>;
-- A document that BigQuery refuses becomes a string. A set that is applied again changes nothing.
MERGE INTO <% table %> AS target
USING (
  SELECT op, key, COALESCE(SAFE.PARSE_JSON(document, wide_number_mode => 'round'), TO_JSON(document)) AS document
  FROM <% table %>_staged
  QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY op) = 1
) AS source
ON target.key = source.key
WHEN MATCHED AND source.op = 'd' THEN DELETE
WHEN MATCHED AND TO_JSON_STRING(target.document) <> TO_JSON_STRING(source.document) THEN UPDATE SET document = source.document
WHEN NOT MATCHED AND source.op <> 'd' THEN INSERT (key, document) VALUES (source.key, source.document);
COMMIT TRANSACTION;
