-- load.sh replaces the names in <% %>.
CREATE TABLE IF NOT EXISTS <% table %> (key STRING NOT NULL, document JSON NOT NULL);

BEGIN TRANSACTION;
DELETE FROM <% table %> WHERE <% begin %>;
-- A document without an id is its own key. A set that is applied again changes nothing.
MERGE INTO <% table %> AS target
USING (
  SELECT op, document, COALESCE(NULLIF(TO_JSON_STRING(document['<% id_field %>']), 'null'), TO_HEX(MD5(TO_JSON_STRING(document)))) AS key
  FROM (
    SELECT JSON_VALUE(record, '$.op') AS op, COALESCE(record['after'], record['before']) AS document
    FROM (SELECT PARSE_JSON(line, wide_number_mode => 'round') AS record FROM <% table %>_staged) AS parsed
  ) AS whole
  QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY op) = 1
) AS source
ON target.key = source.key
WHEN MATCHED AND source.op = 'd' THEN DELETE
WHEN MATCHED AND TO_JSON_STRING(target.document) <> TO_JSON_STRING(source.document) THEN UPDATE SET document = source.document
WHEN NOT MATCHED AND source.op <> 'd' THEN INSERT (key, document) VALUES (source.key, source.document);
COMMIT TRANSACTION;
