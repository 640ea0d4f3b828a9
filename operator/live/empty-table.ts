import { type ColumnTypeText, columnTypeOf } from '../../functions/runtime/settings-schema/column-type.ts'
import { reservedEntity } from '../../functions/runtime/settings-schema/glue-names.ts'
import { manifestListKey, metadataKey, tablePrefix } from '../../functions/state/tables/table.ts'
import { type GlueTable, glueTable } from '../../functions/tables/glue/table-input.ts'
import { manifestList } from '../../functions/tables/iceberg/manifests.ts'
import { icebergSummary, schemaOf, withCommit } from '../../functions/tables/iceberg/metadata.ts'
import { assignFieldIds, tableColumns } from '../../functions/tables/iceberg/table-schema.ts'

const types: readonly ColumnTypeText[] = [
  'string',
  'boolean',
  'int',
  'long',
  'double',
  'decimal(18,2)',
  'date',
  'timestamp',
  'json',
]

export interface EmptyTable {
  readonly files: readonly { readonly key: string; readonly body: Uint8Array }[]
  readonly inGlue: GlueTable
}

/** A table under the reserved name, as of an entity without documents, with a column of each type. */
export function emptyTable(
  addressOf: (key: string) => string,
  { runId, uuid, now }: { readonly runId: string; readonly uuid: string; readonly now: number },
): EmptyTable {
  const columns = types.map((type) => {
    const name = `a_${type.replace(/\W.*/, '')}`
    return { name, from: [name], type: columnTypeOf(type) }
  })
  const assigned = assignFieldIds(columns, { columns: {}, lastColumnId: 0 })
  const location = addressOf(tablePrefix(reservedEntity).slice(0, -1))
  const list = manifestListKey(reservedEntity, runId, uuid)
  const metadata = metadataKey(reservedEntity, { version: 1, runId, unique: uuid })
  const none = { files: 0, rows: 0, bytes: 0 }
  const commit = {
    snapshotId: now,
    manifestList: addressOf(list),
    summary: icebergSummary({
      runId,
      proof: 'exact',
      manifest: '',
      added: none,
      deleted: none,
      rejected: {},
    }),
    schema: schemaOf(assigned.columns),
    lastColumnId: assigned.lastColumnId,
    now,
  }
  const content = withCommit({ uuid, location }, commit, () => true)
  return {
    files: [
      { key: list, body: manifestList({ snapshotId: now, parentId: undefined, sequenceNumber: 1 }, []) },
      { key: metadata, body: Buffer.from(JSON.stringify(content)) },
    ],
    inGlue: glueTable(
      { columns: tableColumns(assigned.columns) },
      { location, metadata: addressOf(metadata) },
    ),
  }
}
