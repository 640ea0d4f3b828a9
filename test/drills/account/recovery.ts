import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DeleteObjectsCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { eventually } from '../../e2e/check.ts'
import type { CheckContext } from '../../e2e/context.ts'
import type { Deployment } from '../../e2e/deployment.ts'
import { drill } from '../drill.ts'
import { situation, type Values } from '../pages.ts'
import { expectContinued, expectReset, publish, type Recovering, setDocuments } from '../recovery.ts'
import { type AccountDrill, type AccountOperator, type AccountWorld, inFolder, succeeds } from './world.ts'

const program = fileURLToPath(new URL('../../../cli/longshore.mjs', import.meta.url))
const entity = 'Changing'
const renamed = 'Renamed'

interface Recovered {
  readonly world: AccountWorld
  readonly deployment: Deployment
  readonly recovering: Recovering
  readonly commands: (title: string, values?: Values) => string[]
}

let deployed: Deployment | undefined

/** A deployment that may lose what it has. */
async function recovered({ context, of }: AccountWorld): Promise<Recovered> {
  const deployment = deployed ?? (await deploy(context))
  const world = of(deployment)
  if (!deployed) await succeeds(world.sh(setCredentials(world)))
  deployed = deployment
  const commands = (title: string, values: Values = {}) =>
    world.commands(situation('recovery', title).text, values)
  return { world, deployment, recovering: recoveringOf(world, deployment), commands }
}

const deploy = (context: CheckContext) =>
  context.deployBeside({
    name: 'Recovered',
    upstream: { baseUrl: context.platform.url },
    entities: [
      { name: entity, schedule: 'rate(30 days)', pageSize: 50, increments: { schedule: 'rate(30 days)' } },
      { name: 'Typed', schedule: 'rate(30 days)', pageSize: 500, columns: ['id', 'email'] },
    ],
  })

/** Standard output only. What is pulled is kept between the drills. */
function recoveringOf(
  { context, sh }: AccountWorld,
  { configurationFile }: Deployment,
  flags = '',
): Recovering {
  const folder = inFolder(context, 'pulled')
  mkdirSync(folder, { recursive: true })
  return {
    entity,
    platform: context.platform,
    longshore: (args) =>
      succeeds(
        sh(
          `cd ${folder}\nnode ${program} ${args} --config ${configurationFile}${flags} 2>errors || { cat errors; exit 1; }`,
        ),
      ),
  }
}

const setCredentials = ({ context }: AccountWorld, flags = '') =>
  `npx --no-install longshore credentials set --no-sync${flags} <<< '${JSON.stringify(context.platform.credentials[0])}'`

/** Publishes, and pulls what readers then have. */
async function published({ recovering }: Recovered, from: number): Promise<string> {
  const runId = await publish(recovering, from)
  await recovering.longshore(`pull ${entity} --force`)
  return runId
}

async function deleteTable({ world, deployment: { table } }: Recovered): Promise<void> {
  await succeeds(world.sh(`aws dynamodb update-table --table-name ${table} --no-deletion-protection-enabled`))
  await succeeds(world.sh(`aws dynamodb delete-table --table-name ${table}`))
}

/** Sets what the page lists, and syncs every entity. */
async function settle({ world, deployment: { table }, commands }: Recovered, operator: AccountOperator) {
  const [settings = ''] = commands('Settings of a table')
  await succeeds(operator.sh(settings))
  const shown = await succeeds(
    world.sh(
      ['describe-time-to-live', 'describe-continuous-backups', 'describe-table']
        .map((action) => `aws dynamodb ${action} --table-name ${table}`)
        .join('\n'),
    ),
  )
  for (const set of [
    /"AttributeName": "expiresAt"/,
    /"PointInTimeRecoveryStatus": "ENABLED"/,
    /"DeletionProtectionEnabled": true/,
  ])
    assert.match(shown, set)
  const sync = commands('The table is lost', { '<BackupArn>': 'ARN' }).at(-1) ?? ''
  assert.match(sync, /longshore sync --all$/)
  await succeeds(operator.sh(sync))
}

/** Deletes a page of versions. S3 deletes no bucket that still has any, delete markers included. */
async function deleteVersions({ s3 }: CheckContext, Bucket: string): Promise<void> {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
  const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
  if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
}

const arnIn = (printed: string) => /"BackupArn": "(.+?)"/.exec(printed)?.[1] ?? ''

/** What docs/recovery.md lets an operator do in an account. The drills on this machine try what the commands do not. */
export const recoveryDrills: AccountDrill[] = [
  drill('recovery', ['The table is lost', 'the backup of DynamoDB is restored'], async (world) => {
    const own = await recovered(world)
    const before = await published(own, 0)
    await deleteTable(own)
    setDocuments(own.recovering, 1)
    return async (operator) => {
      const { sh } = operator.of(own.deployment)
      const [list = ''] = own.commands('The table is lost', { '<BackupArn>': 'ARN' })
      const arn = arnIn(await succeeds(sh(list)))
      const [, restore = '', wait = ''] = own.commands('The table is lost', { '<BackupArn>': arn })
      await succeeds(sh(`${restore}\n${wait}`))
      await settle(own, operator.of(own.deployment))
      await expectContinued(own.recovering, before)
    }
  }),
  drill('recovery', ['The table is lost', 'with an empty table'], async (world) => {
    const own = await recovered(world)
    const before = await published(own, 2)
    await deleteTable(own)
    setDocuments(own.recovering, 3)
    return async (operator) => {
      const [, , , create = '', wait = ''] = own.commands('The table is lost', { '<BackupArn>': 'ARN' })
      await succeeds(operator.of(own.deployment).sh(`${create}\n${wait}`))
      await settle(own, operator.of(own.deployment))
      await expectContinued(own.recovering, before)
    }
  }),
  drill('recovery', 'The table is restored to an earlier second', async (world) => {
    const own = await recovered(world)
    await published(own, 4)
    // The emulator restores this one to any later second.
    await succeeds(
      own.world.sh(
        `aws dynamodb create-backup --table-name ${own.deployment.table} --backup-name continuous`,
      ),
    )
    const second = new Date().toISOString()
    const before = await published(own, 5)
    setDocuments(own.recovering, 6)
    return async (operator) => {
      const { sh } = operator.of(own.deployment)
      const title = 'The table is restored to an earlier second'
      const values = { '2026-03-01T05:00:00Z': second }
      const [lines = ''] = own.commands(title, { ...values, '<BackupArn>': 'ARN' })
      const [restore = '', replace = ''] = lines.split(/^(?=aws dynamodb update-table)/m)
      const printed = await succeeds(sh(restore))
      await succeeds(sh(replace.replace('ARN', arnIn(printed))))
      await settle(own, operator.of(own.deployment))
      await expectContinued(own.recovering, before)
    }
  }),
  drill('recovery', ['Objects were deleted by mistake', 'their versions are restored'], async (world) => {
    const own = await recovered(world)
    const before = await published(own, 7)
    const folder = `s3://${own.deployment.bucket}/snapshots/${entity}/${before}/`
    const removed = await succeeds(
      own.world.sh(`aws s3 rm ${folder} --recursive --exclude "*" --include "*.gz"`),
    )
    return async (operator) => {
      const [verify = ''] = own.commands('Objects were deleted by mistake', { ' CL': ` ${entity}` })
      const repaired = await succeeds(operator.of(own.deployment).sh(verify))
      const keys = [...removed.matchAll(/^delete: s3:\/\/[^/]+\/(.+)$/gm)].map(([, key]) => key)
      assert.ok(keys.length > 1, removed)
      for (const key of keys) assert.ok(repaired.includes(`Restored an intact version of ${key}.`), repaired)
      await publish(own.recovering, 8)
      await expectContinued(own.recovering, before)
    }
  }),
  drill('recovery', 'Another name', async (world) => {
    const own = await recovered(world)
    const before = await published(own, 9)
    setDocuments(own.recovering, 10)
    return async (operator) => {
      const { sh } = operator.of(own.deployment)
      const flags = ` --name ${renamed}`
      const [deploy = ''] = own.commands('Another name', { NAME: renamed })
      await succeeds(sh(deploy))
      await succeeds(sh(setCredentials(world, flags)))
      const outputs = `aws cloudformation describe-stacks --stack-name ${renamed}Storage --query`
      const bucket = await succeeds(
        sh(`${outputs} "Stacks[0].Outputs[?OutputKey=='SnapshotBucketName'].OutputValue" --output text`),
      )
      const [, copy = ''] = own.commands('Another region', { NEW_BUCKET: bucket.trim() })
      assert.match(copy, /sync --all$/)
      await succeeds(sh(`${copy}${flags}`))
      await expectContinued(recoveringOf(own.world, own.deployment, flags), before)
    }
  }),
  drill('recovery', 'The bucket is deleted', async (world) => {
    const own = await recovered(world)
    const { bucket } = own.deployment
    const before = await published(own, 11)
    // What follows a publication may still write objects.
    await eventually('the bucket is deleted', async () => {
      await deleteVersions(world.context, bucket)
      const { code } = await own.world.sh(`aws s3api delete-bucket --bucket ${bucket}`)
      return code === 0 || undefined
    })
    return async (operator) => {
      const { sh } = operator.of(own.deployment)
      const [create = '', deploy = '', sync = ''] = own.commands('The bucket is deleted')
      await succeeds(sh(create))
      // The emulator accepts it, but reverts no drift.
      await succeeds(sh(deploy))
      await succeeds(sh(sync))
      await expectReset(own.recovering, before)
    }
  }),
]
