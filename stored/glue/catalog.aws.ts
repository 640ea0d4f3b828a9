import type { Table, TableInput } from '@aws-sdk/client-glue'
import {
  AlreadyExistsException,
  ConcurrentModificationException,
  CreateTableCommand,
  DeleteTableCommand,
  EntityNotFoundException,
  GetTableCommand,
  GlueClient,
  UpdateTableCommand,
} from '@aws-sdk/client-glue'
import { clientLimits } from '../../functions/runtime/client-limits.ts'
import type { GlueTable } from './table-input.ts'

export interface CatalogTable extends GlueTable {
  readonly version: string | undefined
}

/** The tables of the Glue database. */
export interface Catalog {
  read(name: string): Promise<CatalogTable | undefined>
  /** False if it exists. */
  create(name: string, table: GlueTable): Promise<boolean>
  /** False if something else has changed or deleted it since that version. */
  update(name: string, table: GlueTable, version: string | undefined): Promise<boolean>
  /** Succeeds even if the table does not exist. */
  drop(name: string): Promise<void>
}

export function openCatalog(database: string, client = new GlueClient(clientLimits.glue)): Catalog {
  return {
    async read(name) {
      const table = await unless(
        [EntityNotFoundException],
        client.send(new GetTableCommand({ DatabaseName: database, Name: name })).then((got) => got.Table),
      )
      return table && catalogTable(table)
    },

    async create(name, table) {
      const created = client.send(
        new CreateTableCommand({ DatabaseName: database, TableInput: tableInput(name, table) }),
      )
      return (await unless([AlreadyExistsException], created)) !== undefined
    },

    async update(name, table, version) {
      const updated = client.send(
        new UpdateTableCommand({
          DatabaseName: database,
          TableInput: tableInput(name, table),
          VersionId: version,
          SkipArchive: true,
        }),
      )
      return (await unless([ConcurrentModificationException, EntityNotFoundException], updated)) !== undefined
    },

    async drop(name) {
      await unless(
        [EntityNotFoundException],
        client.send(new DeleteTableCommand({ DatabaseName: database, Name: name })),
      )
    },
  }
}

/** Undefined if it rejects with one of these errors. */
async function unless<T>(
  expected: readonly (abstract new (...input: never[]) => Error)[],
  call: Promise<T>,
): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (expected.some((one) => error instanceof one)) return undefined
    throw error
  }
}

function tableInput(Name: string, { location, columns, parameters }: GlueTable): TableInput {
  return {
    Name,
    TableType: 'EXTERNAL_TABLE',
    Parameters: { ...parameters },
    StorageDescriptor: {
      Location: location,
      Columns: columns.map(({ name, type, parameters: own }) => ({
        Name: name,
        Type: type,
        Parameters: { ...own },
      })),
    },
  }
}

function catalogTable({ StorageDescriptor, Parameters = {}, VersionId }: Table): CatalogTable {
  const { Location = '', Columns = [] } = StorageDescriptor ?? {}
  return {
    location: Location,
    columns: Columns.map(({ Name = '', Type = '', Parameters: own = {} }) => ({
      name: Name,
      type: Type,
      parameters: own,
    })),
    parameters: Parameters,
    version: VersionId,
  }
}
