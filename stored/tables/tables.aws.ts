import type { S3Client } from '@aws-sdk/client-s3'
import { type Expected, jsonText, openObjects, type Wait } from '../objects.aws.ts'
import { schemaChangesKey, schemaReportKey } from '../snapshots/manifest.ts'
import type { StoredChanges } from './schema-changes.ts'
import type { TableFailure, TableLatest } from './table.ts'
import { dataPrefix, tableFailureKey, tableLatestKey, tablePrefix } from './table.ts'

/** The Iceberg tables and schema reports, in the bucket of the snapshots. */
export type TableStore = ReturnType<typeof createTableStore>

export function createTableStore(bucket: string, client?: S3Client, wait?: Wait) {
  const objects = openObjects(bucket, client, wait)
  return {
    /** The address of a key, as Iceberg's files name each other. */
    addressOf: (key: string) => `s3://${bucket}/${key}`,
    /** The key of an address of this bucket. */
    keyOf: (address: string) => address.slice(`s3://${bucket}/`.length),

    readLatest: (entity: string) => objects.readJson<TableLatest>(tableLatestKey(entity), 'runId'),

    /** Commits the table: writes `latest.json` if it is as expected. False if it is not. */
    writeLatest: (entity: string, latest: TableLatest, expected: Expected) =>
      objects.putIf(tableLatestKey(entity), expected, jsonText(latest)),

    /** Why the last table that failed could not be made. */
    readFailure: async (entity: string) =>
      (await objects.readJson<TableFailure>(tableFailureKey(entity)))?.value,
    writeFailure: (entity: string, failure: TableFailure) =>
      objects.put(tableFailureKey(entity), jsonText(failure)),

    /** Reads a JSON object of a table: its metadata, or what a plan and its chunks have stored. */
    readJson: async <T>(key: string) => (await objects.readJson<T>(key))?.value,
    writeJson: (key: string, value: object) => objects.put(key, jsonText(value)),

    /** The schema report of a snapshot: a `SchemaReport` of stored/schema-report. */
    readReport: async <T>(entity: string, runId: string) =>
      (await objects.readJson<T>(schemaReportKey(entity, runId)))?.value,
    /** Writes the report of a snapshot unless it has one. */
    writeReport: (report: { readonly entity: string; readonly runId: string }) =>
      objects.putIf(schemaReportKey(report.entity, report.runId), 'absent', jsonText(report)),

    /** How the report of a snapshot differs from the previous one. */
    readSchemaChanges: async (entity: string, runId: string) =>
      (await objects.readJson<StoredChanges>(schemaChangesKey(entity, runId)))?.value,
    writeSchemaChanges: (changes: StoredChanges) =>
      objects.put(schemaChangesKey(changes.entity, changes.runId), jsonText(changes)),

    readObject: (key: string) => objects.readBytes(key),
    readStored: (key: string) => objects.read(key),
    /** Stores a Parquet or Avro file under a name that is used once. */
    writeFile: (key: string, body: Uint8Array) => objects.putBytes(key, body),

    /** The objects of an entity's table, with the time at which each was written. */
    listObjects: (entity: string) => objects.listObjects(tablePrefix(entity)),
    listData: (entity: string, runId: string) => objects.listObjects(dataPrefix(entity, runId)),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}
