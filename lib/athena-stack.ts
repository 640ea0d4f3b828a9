import { Aws, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue'
import type { Construct } from 'constructs'

import {
  changesTableName,
  glueName,
  snapshotDatabase,
  tableDatabase,
} from '../functions/runtime/settings-schema/glue-names.ts'

import type { Configuration } from './config.ts'
import type { StorageStack } from './storage-stack.ts'

type TableInput = CfnTable.TableInputProperty & { readonly name: string }

export interface AthenaStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
}

/**
 * A Glue database with two tables for each entity, for Athena: the published snapshot and the change sets. The location
 * of a table contains one object that lists the objects to read. It is replaced with each publication, so no crawler is
 * needed.
 *
 * No stack depends on this one: accounts under Lake Formation refuse it.
 */
export class AthenaStack extends Stack {
  constructor(scope: Construct, id: string, props: AthenaStackProps) {
    super(scope, id, props)
    const { name, entities } = props.configuration
    const databaseName = snapshotDatabase(name)
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: {
        name: databaseName,
        description: "Published snapshots of the platform's data entities",
      },
    })
    const { bucketName } = props.storage.bucket
    for (const { name: entity, changes } of entities) {
      const tables = [
        snapshotTable(entity, bucketName),
        ...(changes ? [changesTable(entity, bucketName)] : []),
      ]
      for (const tableInput of tables)
        new CfnTable(this, `Table-${entity}-${tableInput.name}`, {
          catalogId: Aws.ACCOUNT_ID,
          databaseName,
          tableInput,
        }).node.addDependency(database)
    }
    new CfnOutput(this, 'SnapshotDatabaseName', { value: databaseName })
    const tables = tableDatabase(name)
    // Only the function `tables` creates and drops the tables in this database, so that no stack update reverts one.
    // The database exists even if no entity has columns: the table of an entity that had some is dropped after its next
    // publication.
    new CfnDatabase(this, 'TableDatabase', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: { name: tables, description: 'Typed tables of published snapshots (Apache Iceberg)' },
    })
    new CfnOutput(this, 'TableDatabaseName', { value: tables })
  }
}

function snapshotTable(entity: string, bucketName: string): TableInput {
  return {
    name: glueName(entity),
    description: `The published snapshot of ${entity}, one document per row`,
    tableType: 'EXTERNAL_TABLE',
    storageDescriptor: {
      ...listedObjects(`s3://${bucketName}/tables/${entity}/`),
      columns: [
        {
          name: 'document',
          type: 'string',
          comment: 'The document as the platform sent it. Read its fields with json_extract.',
        },
      ],
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
        // JSON never contains the delimiter, and the last column takes the rest: each line is one column.
        parameters: { 'field.delim': '\u0001', 'serialization.last.column.takes.rest': 'true' },
      },
    },
  }
}

function changesTable(entity: string, bucketName: string): TableInput {
  return {
    name: changesTableName(entity),
    description: `The change sets of ${entity}, one record per row`,
    tableType: 'EXTERNAL_TABLE',
    storageDescriptor: {
      ...listedObjects(`s3://${bucketName}/tables/${entity}.changes/`),
      columns: [
        {
          name: 'op',
          type: 'string',
          comment: 'c (created), u (updated), d (deleted) or r (read by an increment)',
        },
        { name: 'id', type: 'string', comment: 'The value of the id field' },
        { name: 'before', type: 'string', comment: 'The document before the change, as JSON' },
        { name: 'after', type: 'string', comment: 'The document after the change, as JSON' },
      ],
      serdeInfo: {
        serializationLibrary: 'org.openx.data.jsonserde.JsonSerDe',
        // The names of fields within a document keep their case.
        parameters: { 'case.insensitive': 'false' },
      },
    },
  }
}

/** Reads the objects that the objects in a location list (Hive, class SymlinkTextInputFormat). */
const listedObjects = (location: string) => ({
  location,
  inputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
  outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
})
