import { Aws, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue'
import type { Construct } from 'constructs'
import { glueName } from './config/glue-names.ts'
import type { Configuration } from './config.ts'
import type { StorageStack } from './storage-stack.ts'

export interface AthenaStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
}

/**
 * A Glue database with a table for each entity, for Athena. The location of a table holds one object that lists the
 * pages of the published snapshot; the worker replaces it with each publication, so no crawler is needed.
 *
 * No stack depends on this one: accounts under Lake Formation refuse it.
 */
export class AthenaStack extends Stack {
  constructor(scope: Construct, id: string, props: AthenaStackProps) {
    super(scope, id, props)
    const { name, entities } = props.configuration
    const databaseName = `${glueName(name)}_snapshots`
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: {
        name: databaseName,
        description: "Published snapshots of the platform's data entities",
      },
    })
    for (const { name: entity } of entities) {
      new CfnTable(this, `Table-${entity}`, {
        catalogId: Aws.ACCOUNT_ID,
        databaseName,
        tableInput: snapshotTable(entity, props.storage.bucket.bucketName),
      }).addResourceDependency(database)
    }
    new CfnOutput(this, 'SnapshotDatabaseName', { value: databaseName })
  }
}

function snapshotTable(entity: string, bucketName: string): CfnTable.TableInputProperty {
  return {
    name: glueName(entity),
    description: `The published snapshot of ${entity}, one document per row`,
    tableType: 'EXTERNAL_TABLE',
    storageDescriptor: {
      columns: [
        {
          name: 'document',
          type: 'string',
          comment: 'The document as the platform sent it. Read its fields with json_extract.',
        },
      ],
      location: `s3://${bucketName}/tables/${entity}/`,
      // Reads the objects that the objects in its location list (Hive, class SymlinkTextInputFormat).
      inputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
        // JSON never contains the delimiter, and the last column takes the rest: each line is one column.
        parameters: { 'field.delim': '\u0001', 'serialization.last.column.takes.rest': 'true' },
      },
    },
  }
}
