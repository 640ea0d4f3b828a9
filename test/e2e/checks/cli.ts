import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CreateTableCommand,
  EntityNotFoundException,
  GetTableCommand,
  GlueClient,
} from '@aws-sdk/client-glue'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { ConfigurationInput } from '../../../lib/config.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { operations, type Role, roles } from '../../../operator/access/operations.ts'
import { pathWithOurNode } from '../../processes.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { region, rootCredentials } from '../emulator.ts'
import { sourceDocuments } from '../snapshot-proof.ts'
import { packageChecks, projectOf } from './package.ts'

/** The operator's commands in a project of their own: an empty folder into which the packed package is installed. */
export const cliChecks: Check[] = [
  ...packageChecks,
  {
    name: 'doctor lists what a fresh deployment lacks, credentials and a sync resolve it, a schedule is paused and resumed, logs shows a run, pull --update follows the change sets, and verify finds a damaged page',
    run: tryCommands,
  },
  {
    name: 'review shows a refused run, accept publishes it for a role that may, and republish takes it back',
    run: decide,
  },
]

type Longshore = (
  args: string,
  input?: string,
  role?: Role,
) => Promise<{ code: number; json: ReturnType<typeof JSON.parse>; output: string }>

/** In the project of the previous check. */
let longshoreInProject: Longshore | undefined

/** What the next lower role may not do. */
const forbidden: readonly [args: string, role: Role][] = [
  ['sync CL', 'view'],
  ['pause CL', 'view'],
  ['credentials set', 'operate'],
  ['purge GONE --yes', 'operate'],
]

const roleOf = (args: string): Role =>
  operations
    .filter(({ name }) => name.split(' ').every((word) => args.split(' ').includes(word)))
    .map(({ role }) => role)
    .toSorted((a, b) => roles.indexOf(b) - roles.indexOf(a))[0] ?? 'view'

/** An archive with one file, stored: a byte of `handler.mjs` in place of the code. */
const otherCode = Buffer.from(
  'UEsDBBQAAAAAAAAAIQC379yDAQAAAAEAAAALAAAAaGFuZGxlci5tanMxUEsBAhQDFAAAAAAAAAAhALfv3IMBAAAAAQAAAAsAAAAAAAAAAAAAAIABAAAAAGhhbmRsZXIubWpzUEsFBgAAAAABAAEAOQAAACoAAAAAAA==',
  'base64',
)

async function replaceCode({ account }: CheckContext, longshore: Longshore): Promise<void> {
  const functions = await account.listFunctions()
  const { name } = functions.find(({ stack, id }) => stack === 'OperatedSync' && id === 'Compare') ?? {
    name: '',
  }
  const own = await account.replaceCode(name, otherCode)
  const { json, output } = await longshore('doctor')
  const evidences = (json.problems as { evidence: string }[]).map(({ evidence }) => evidence)
  assert.ok(evidences[0]?.startsWith(`The function ${name} does not run the code`), output)
  assert.equal(evidences.length, 1, output)
  await account.replaceCode(name, own)
}

async function tryCommands(context: CheckContext): Promise<void> {
  const folder = projectOf(context)
  const config = join(folder, 'config.json')
  const configuration: ConfigurationInput = {
    name: 'Operated',
    upstream: { baseUrl: context.platform.url },
    entities: [{ name: 'CL', schedule: 'rate(6 hours)', pageSize: 200 }],
  }
  writeFileSync(config, JSON.stringify(configuration))
  const environment = {
    ...context.emulator.environment,
    PATH: pathWithOurNode(),
    CI: 'true',
    CDK_DISABLE_VERSION_CHECK: '1',
  }
  /** Access keys of a user for each role, once the stacks are deployed. */
  const keys = new Map<Role, Readonly<Record<string, string>>>()
  /** Its output with --json and its exit code, as a user who has exactly the permissions of its role. */
  const longshore: Longshore = async (args, input = '', role = roleOf(args)) => {
    // Through a shell, for standard input and the exit code.
    const line = `printf '%s' "$INPUT" | node_modules/.bin/longshore ${args} --json --config "$CONFIG" 2>"$CONFIG.err"; echo "exit $?"`
    const printed = await context.run({
      file: 'sh',
      arguments: ['-c', line],
      environment: { ...environment, ...keys.get(role), INPUT: input, CONFIG: config },
      folder,
    })
    const [, json = '', code] = /^([\s\S]*)exit (\d+)\s*$/.exec(printed) ?? []
    const output = `${args}: ${json} ${readFileSync(`${config}.err`, 'utf8')}`
    return { code: Number(code), json: JSON.parse(json || 'null'), output }
  }
  longshoreInProject = longshore
  const problems = async () => {
    const { json, output } = await longshore('doctor')
    assert.ok(json.problems, output)
    return (json.problems as { level: string; kind: string; command?: string }[])
      .filter(({ level }) => level === 'problem')
      .map(({ kind, command }) => `${kind}: ${command}`)
  }

  const undeployed = await longshore('doctor')
  assert.equal(undeployed.code, 1, undeployed.output)
  assert.match(undeployed.output, /Not deployed in .*region .*: OperatedStorage/)
  const deploy = ['deploy', '--all', '--require-approval', 'never', '-c', `config=${config}`]
  const outputsFile = join(folder, 'outputs.json')
  const cdk = ['--no-install', 'cdk', ...deploy, '--outputs-file', outputsFile]
  await context.run({ file: 'npx', arguments: cdk, environment, folder })
  const outputs = JSON.parse(readFileSync(outputsFile, 'utf8')) as Record<string, Record<string, string>>
  for (const role of roles) {
    const { json, output } = await longshore(`policy --role ${role}`)
    assert.ok(json.Statement, output)
    const { accessKeyId, secretAccessKey } = await context.account.createUser(`operated-${role}`, json)
    keys.set(role, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey })
  }
  for (const [args, role] of forbidden) {
    const { code, output } = await longshore(args, 'key\ntoken\n', role)
    assert.equal(code, 1, `${role} may not: ${output}`)
    assert.match(output, /AccessDenied|not authorized/, output)
  }
  assert.deepEqual(await problems(), ['credentials: credentials set', 'no-snapshot: sync CL --watch'])

  // The credentials that the platform accepts by now.
  const { appKey = '', appToken = '' } = context.platform.credentials[0] ?? {}
  assert.equal((await longshore('credentials set', `${appKey}\nwrong`)).code, 1)
  const set = await longshore('credentials set', `${appKey}\n${appToken}\n`)
  assert.equal(set.code, 0, set.output)
  const synced = await longshore('sync CL --watch')
  assert.equal(synced.code, 0, synced.output)
  assert.deepEqual(await problems(), [])
  await replaceCode(context, longshore)
  assert.deepEqual(await problems(), [])

  await pauseAndResume({ longshore, problems })
  await deleteAndRepair(context, { longshore, problems })
  for (const args of ['runs CL', 'retention CL', 'changes CL'])
    assert.equal((await longshore(args)).code, 0, args)
  const logs = await longshore('logs CL')
  assert.equal(logs.code, 0, logs.output)
  const messages = (logs.json.lines as { message: string }[]).map(({ message }) => message)
  assert.ok(messages.includes('run ended'), logs.output)

  const file = join(folder, 'CL.ndjson')
  const pulled = await longshore(`pull CL -o ${folder}`)
  assert.equal(pulled.code, 0, pulled.output)
  const documents = sourceDocuments(context, 'CL').map((document) => `${document.toString('latin1')}\n`)
  assert.ok(
    readFileSync(file, 'latin1') === documents.join(''),
    'the pulled file equals the documents of the platform',
  )
  const verified = await longshore('verify CL')
  assert.equal(verified.code, 0, verified.output)

  const [first = Buffer.alloc(0), second = Buffer.alloc(0), ...rest] = sourceDocuments(context, 'CL')
  const changed = [
    Buffer.from(`${String(first).slice(0, -1)},"changed":1.50}`),
    ...rest,
    Buffer.from('{"id":"created"}'),
  ]
  context.platform.documents.set('CL', changed)
  const again = await longshore('sync CL --watch')
  assert.equal(again.code, 0, again.output)
  const compared = await eventually('the change set of the second run', async () => {
    const { json } = await longshore('changes CL')
    return json.tip === again.json.runId ? json : undefined
  })
  const { created, updated, deleted } = compared
  assert.deepEqual({ created, updated, deleted }, { created: 1, updated: 1, deleted: 1 })
  const history = await longshore('history CL created')
  assert.equal(history.code, 0, history.output)
  const brought = await longshore(`pull CL --update -o ${folder}`)
  assert.equal(brought.code, 0, brought.output)
  assert.deepEqual(
    readFileSync(file, 'utf8').trimEnd().split('\n').toSorted(),
    changed.map(String).toSorted(),
    'the updated file equals the changed documents of the platform',
  )
  await damage(context, outputs['OperatedStorage']?.['SnapshotBucketName'] ?? '', again.json.manifest)
  const found = await longshore('verify CL')
  assert.equal(found.code, 1)
  assert.match(found.output, /SHA-256.*unknown/s)
  const repaired = await longshore('verify CL --repair')
  assert.equal(repaired.code, 0, repaired.output)
  const { id } = JSON.parse(String(second)) as { id: string }
  const erased = await longshore(`erase CL --id ${id} --yes`)
  assert.equal(erased.code, 0, erased.output)
  const { found: places, removed } = erased.json
  assert.deepEqual([places.length > 0, removed.left], [true, 0], erased.output)
  assert.equal((await longshore(`history CL ${id}`)).code, 1)

  await context.s3.send(
    new PutObjectCommand({
      Bucket: outputs['OperatedStorage']?.['SnapshotBucketName'] ?? '',
      Key: 'iceberg/GONE/v1.metadata.json',
      Body: 'x',
    }),
  )
  const gone = { DatabaseName: 'operated_snapshots_tables', Name: 'gone' }
  const glue = new GlueClient({ endpoint: context.emulator.url, region, credentials: rootCredentials })
  context.cleanUp.add(() => glue.destroy())
  await glue.send(new CreateTableCommand({ ...gone, TableInput: { Name: gone.Name } }))
  const purged = await longshore('purge GONE --yes')
  assert.equal(purged.code, 0, purged.output)
  await assert.rejects(glue.send(new GetTableCommand(gone)), EntityNotFoundException)
  const kinds = (await longshore('status')).json.problems.map(({ kind }: { kind: string }) => kind)
  assert.ok(!kinds.includes('orphaned-data'), kinds.join())

  context.platform.faults.add({
    match: onScroll({ entity: 'CL', page: 2 }),
    fault: { kind: 'hang', effect: 'before' },
  })
  for (const args of ['sync CL', 'cancel CL', 'changes CL --reset']) {
    const { code, output } = await longshore(args)
    assert.equal(code, 0, output)
  }
}

async function decide({ platform }: CheckContext): Promise<void> {
  const longshore = longshoreInProject
  assert.ok(longshore, 'the commands of the check before')
  const documents = platform.documents.get('CL')
  assert.ok(Array.isArray(documents))
  const intact = await longshore('sync CL --watch')
  assert.equal(intact.code, 0, intact.output)
  platform.documents.set('CL', documents.slice(0, 100))
  const refused = await longshore('sync CL --watch')
  assert.equal(refused.code, 1, refused.output)
  const { runId } = refused.json
  const reviewed = await longshore(`review ${runId}`)
  assert.equal(reviewed.code, 0, reviewed.output)
  assert.equal(reviewed.json.after, 100)
  const denied = await longshore(`accept ${runId} --yes`, '', 'view')
  assert.equal(denied.code, 1, denied.output)
  assert.match(denied.output, /AccessDenied|not authorized/)
  const accepted = await longshore(`accept ${runId} --yes`)
  assert.equal(accepted.code, 0, accepted.output)
  assert.equal(accepted.json.by, 'user/operated-operate')

  const again = await longshore(`republish ${intact.json.runId} --yes`)
  assert.equal(again.code, 0, again.output)
  assert.equal(again.json.republishedFrom, intact.json.runId)
}

interface Operator {
  readonly longshore: (
    args: string,
  ) => Promise<{ code: number; json: { entities: object[] }; output: string }>
  readonly problems: () => Promise<string[]>
}

async function pauseAndResume({ longshore, problems }: Operator): Promise<void> {
  const next = async () => (await longshore('status')).json.entities
  const paused = await longshore('pause CL')
  assert.equal(paused.code, 0, paused.output)
  assert.partialDeepStrictEqual(await next(), [{ next: { kind: 'paused' } }])
  // A pause is a note.
  assert.deepEqual(await problems(), [])
  const resumed = await longshore('resume CL')
  assert.equal(resumed.code, 0, resumed.output)
  assert.partialDeepStrictEqual(await next(), [{ next: { kind: 'run' } }])
}

async function deleteAndRepair({ account }: CheckContext, { longshore, problems }: Operator): Promise<void> {
  await account.deleteSchedules('OperatedSync')
  assert.deepEqual(await problems(), ['schedule-missing: repair-schedule CL'])
  const repaired = await longshore('repair-schedule CL')
  assert.equal(repaired.code, 0, repaired.output)
  assert.partialDeepStrictEqual((await longshore('status')).json.entities, [{ next: { kind: 'run' } }])
}

/** Flips one bit of the snapshot's second page. */
async function damage({ s3 }: CheckContext, Bucket: string, manifestKey: string): Promise<void> {
  const read = async (Key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  const { pages } = JSON.parse(String(await read(manifestKey))) as { pages: { key: string }[] }
  const Key = pages[1]?.key ?? ''
  const page = await read(Key)
  page[page.length - 1] = (page.at(-1) ?? 0) ^ 1
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: page }))
}
