import type { S3Client } from '@aws-sdk/client-s3'
import { openVersions } from '../../../../operator/aws/stored-versions.aws.ts'
import type { EraseContext } from '../../../../operator/retention/context.ts'
import type { EraseRequest } from '../../../../operator/retention/erase.ts'
import { createTableStore } from '../../../../stored/tables/tables.aws.ts'
import type { IncrementTestbed } from '../../worker/increment/increment-testbed.ts'

/** What an operator's erasure reads, writes and calls. */
export function contextOf(testbed: IncrementTestbed): EraseContext {
  const { s3, dynamodb, snapshots, changes, state } = testbed
  const client = s3 as unknown as S3Client
  return {
    versions: openVersions('snapshots', client),
    snapshots,
    changes,
    tables: createTableStore('snapshots', client),
    catalog: undefined,
    state,
    table: dynamodb,
    log: () => undefined,
    now: () => testbed.now,
    uniqueName: () => 'unique',
    checkTime: () => undefined,
    onProgress: () => undefined,
  }
}

/** An operator erases the document with this id. */
export const requestFor = ({ entity }: IncrementTestbed, id: string): EraseRequest => ({
  entity: 'CL',
  wanted: { by: 'id', id },
  settings: entity,
  target: { kind: 'stacks', config: undefined, name: undefined },
})
