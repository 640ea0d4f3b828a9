import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import {
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import type { Inspection } from '../../../../operator/doctor/finding.ts'
import type { Latest } from '../../../../stored/snapshots/manifest.ts'
import { kindsOfOperators } from '../../../kinds-of-operators.ts'
import { longshore } from '../../command-line.ts'
import type { CheckContext } from '../../context.ts'
import { account, region, rootCredentials } from '../../emulator.ts'
import { alertSecretOf } from '../../receivers.ts'
import { readObject, removeObject } from '../../snapshot-proof.ts'
import { watched } from './kinds.ts'
import { write } from './stored.ts'

/** One doctor finds all that was broken, and another one that all is over. */
export async function findAsOperator(context: CheckContext): Promise<void> {
  const [full, idle, later] = watched.entities
  const expected: Record<string, readonly string[]> = {
    broken: [...kindsOfOperators.filter((kind) => kind !== 'deployment'), 'unreadable-data', 'no-snapshot'],
    fixed: ['no-snapshot'],
    other: ['deployment'],
  }
  const fix = await breakAll(context)
  const broken = await kindsIn(context, {
    logRetentionDays: 7,
    entities: [full, idle, { ...later, schedule: 'rate(20 days)' }, { ...later, name: 'New' }],
  })
  await fix()
  const repaired = await longshore(context, 'repair-schedule Full')
  assert.equal(repaired.code, 0, repaired.printed)
  const [fixed, other] = [await kindsIn(context, {}), await kindsIn(context, { name: 'Other' })]
  for (const [name, kinds] of Object.entries({ broken, fixed, other }))
    assert.deepEqual(kinds.toSorted(), expected[name]?.toSorted(), name)
}

/** The kinds of problems that doctor finds, of a deployment of this checkout with another configuration. */
async function kindsIn(context: CheckContext, changes: object): Promise<string[]> {
  const configuration = JSON.parse(readFileSync(context.deployment.configurationFile, 'utf8')) as object
  const configurationFile = join(context.folder, 'changed.json')
  writeFileSync(configurationFile, JSON.stringify({ ...configuration, ...changes }))
  const deployment = { ...context.deployment, configurationFile }
  const { problems } = JSON.parse(
    (await longshore({ ...context, deployment }, 'doctor')).printed,
  ) as Inspection
  return problems.flatMap(({ level, kind }) => (level === 'problem' ? [kind] : []))
}

/** Breaks what is not the configuration's. Returns how to put it back, except for the schedules of Full. */
async function breakAll(context: CheckContext): Promise<() => Promise<unknown>> {
  const { platform, secrets, s3, deployment } = context
  const SecretId = alertSecretOf('slack')
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }))
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: '<address>' }))
  platform.faults.add({ match: () => true, fault: { kind: 'status', status: 503 }, times: Infinity })
  const { manifest } = JSON.parse(String(await readObject(context, 'snapshots/Full/latest.json'))) as Latest
  const before = await write(context, { objects: { [manifest]: null } })
  // A sample of the objects of an entity has the last one.
  const Key = 'snapshots/Full/z'
  const SSEKMSKeyId = `arn:aws:kms:${region}:${account}:key/0`
  const encrypted = { Key, Body: 'x', ServerSideEncryption: 'aws:kms', SSEKMSKeyId } as const
  await s3.send(new PutObjectCommand({ Bucket: deployment.bucket, ...encrypted }))
  await changeSchedules(context)
  return async () => {
    platform.faults.clear()
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }))
    await removeObject(context, Key)
    await write(context, before)
  }
}

/** One schedule of Full is deleted, and the other one is changed. */
async function changeSchedules({ emulator, deployment, cleanUp }: CheckContext): Promise<void> {
  const scheduler = new SchedulerClient({ endpoint: emulator.url, region, credentials: rootCredentials })
  cleanUp.add(() => scheduler.destroy())
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: deployment.name }))
  const [deleted, changed] = Schedules.map(({ Name }) => Name).filter((name) => name?.includes('Full'))
  await scheduler.send(new DeleteScheduleCommand({ Name: deleted }))
  const { FlexibleTimeWindow, Target, State } = await scheduler.send(
    new GetScheduleCommand({ Name: changed }),
  )
  await scheduler.send(
    new UpdateScheduleCommand({
      Name: changed,
      FlexibleTimeWindow,
      Target,
      State,
      ScheduleExpression: 'rate(3 days)',
    }),
  )
}
