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
import { absentIf } from '../../functions/runtime/absent-if.ts'
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
      const got = await client
        .send(new GetTableCommand({ DatabaseName: database, Name: name }))
        .catch(absentIf(EntityNotFoundException))
      return got?.Table && catalogTable(got.Table)
    },

    async create(name, table) {
      const created = client.send(
        new CreateTableCommand({ DatabaseName: database, TableInput: tableInput(name, table) }),
      )
      return (await created.catch(absentIf(AlreadyExistsException))) !== undefined
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
      const isOutdated = absentIf(ConcurrentModificationException, EntityNotFoundException)
      return (await updated.catch(isOutdated)) !== undefined
    },

    async drop(name) {
      await client
        .send(new DeleteTableCommand({ DatabaseName: database, Name: name }))
        .catch(absentIf(EntityNotFoundException))
    },
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
