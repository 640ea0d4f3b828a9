import { createHash } from 'node:crypto'
import { Aws } from 'aws-cdk-lib'
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import type { Configuration } from '../config.ts'

/**
 * A database of Glue's with a table for each entity, so that Athena can query what is published. A table's location
 * holds one object, which lists the pages of the published snapshot: the worker moves it with each publication, and
 * no page that was given up is ever read. Nothing crawls.
 */
export class SnapshotTables extends Construct {
  readonly databaseName: string

  constructor(scope: Construct, id: string, props: { configuration: Configuration; bucket: Bucket }) {
    super(scope, id)
    const { name, entities } = props.configuration
    this.databaseName = `${glueName(name)}_snapshots`
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: {
        name: this.databaseName,
        description: "The proven copy of the platform's data entities",
      },
    })
    for (const [entity, table] of tableNames(entities.map(({ name }) => name))) {
      new CfnTable(this, `Table-${entity}`, {
        catalogId: Aws.ACCOUNT_ID,
        databaseName: this.databaseName,
        tableInput: {
          name: table,
          description: `The published snapshot of ${entity}, one document a row`,
          tableType: 'EXTERNAL_TABLE',
          storageDescriptor: {
            columns: [
              {
                name: 'document',
                type: 'string',
                comment: 'As the platform sent it: read it with json_extract',
              },
            ],
            location: `s3://${props.bucket.bucketName}/tables/${entity}/`,
            // Reads the objects that those in its location list, as Hive's documentation of the class has it.
            inputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
            outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
            serdeInfo: {
              serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
              // A line is one column whatever is in it: no JSON has this character, and the last column takes the rest.
              parameters: { 'field.delim': '\u0001', 'serialization.last.column.takes.rest': 'true' },
            },
          },
        },
      }).addResourceDependency(database)
    }
  }
}

/** Glue knows small letters, digits and _ only. Entities whose names differ in nothing else get an ending each. */
export function tableNames(entities: readonly string[]): Map<string, string> {
  const plain = entities.map(glueName)
  return new Map(
    entities.map((entity, index) => {
      const name = plain[index] as string
      const isUnique = plain.indexOf(name) === plain.lastIndexOf(name)
      return [
        entity,
        isUnique ? name : `${name}_${createHash('sha256').update(entity).digest('hex').slice(0, 8)}`,
      ]
    }),
  )
}

const glueName = (name: string) => name.toLowerCase().replaceAll('-', '_')
