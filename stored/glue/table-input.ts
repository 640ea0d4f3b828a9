import { isDeepStrictEqual } from 'node:util'
import type { TableColumn, TableLatest } from '../tables/table.ts'

export interface GlueColumn {
  readonly name: string
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface GlueTable {
  readonly location: string
  readonly columns: readonly GlueColumn[]
  readonly parameters: Readonly<Record<string, string>>
}

/** The Glue table that matches `latest.json`, in the form that engines expect for an Iceberg table. */
export function glueTable(
  { columns }: Pick<TableLatest, 'columns'>,
  { location, metadata }: { location: string; metadata: string },
): GlueTable {
  return {
    location,
    columns: Object.entries(columns).map(([name, column]) => ({
      name,
      type: glueType(column),
      parameters: {
        'iceberg.field.id': String(column.id),
        'iceberg.field.optional': 'true',
        'iceberg.field.current': 'true',
      },
    })),
    parameters: { table_type: 'ICEBERG', metadata_location: metadata },
  }
}

function glueType({ type }: TableColumn): string {
  if (type === 'long') return 'bigint'
  return type === 'json' ? 'string' : type
}

/** The address of the metadata that a stored table names. */
export const metadataOf = ({ parameters }: GlueTable): string | null =>
  parameters['metadata_location'] ?? null

/** The change that makes a table that is stored what it should be; undefined if it is. Other parameters stay. */
export function glueUpdate(stored: GlueTable, wanted: GlueTable): GlueTable | undefined {
  const location = metadataOf(stored)
  const parameters = { ...stored.parameters, ...wanted.parameters }
  const isCurrent =
    isDeepStrictEqual(parameters, stored.parameters) &&
    isDeepStrictEqual(stored.columns, wanted.columns) &&
    stored.location === wanted.location
  if (isCurrent) return undefined
  const hasMoved = location !== null && location !== parameters['metadata_location']
  return {
    ...wanted,
    parameters: { ...parameters, ...(hasMoved && { previous_metadata_location: location }) },
  }
}
