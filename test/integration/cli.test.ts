import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readRequest } from '../../functions/worker/request.ts'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createStepFunctions } from '../../local/embedded/step-functions.ts'
import { makeDocuments } from '../../local/platform/documents.ts'
import { onScroll } from '../../local/platform/faults.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/platform/platform.ts'
import { createStateMachine, workerResource } from '../../local/states/state-machine.ts'
import { createStagedSecret, serveStacks } from './cli-account.ts'
import { type EmbeddedStores, startEmbeddedStores } from './embedded-stores.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
const placeholder = JSON.stringify({ appKey: 'replace-me', appToken: 'replace-me' })

// Every command is a process of its own.
vi.setConfig({ testTimeout: 90_000 })

let folder: string
let stores: EmbeddedStores
let platform: Platform
let variables: Record<string, string>
let snapshot: ReturnType<typeof syncWorld>['snapshot']
const secret = createStagedSecret('the-secret', placeholder)
const closing: (() => unknown)[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  stores = await startEmbeddedStores()
  platform = await startPlatform({ documents: { CL: makeDocuments(95), AD: makeDocuments(5) } })
  const inside = syncWorld({ stores, platform }, [entitySettings('CL'), entitySettings('AD')])
  snapshot = inside.snapshot
  const stepFunctions = createStepFunctions(
    createStateMachine({
      functions: {
        [workerResource]: async (event) => {
          const read = readRequest(event)
          if ('mistake' in read) throw new Error(read.mistake)
          return inside.callWorker(read.request)
        },
      },
    }),
  )
  const services = await serveAwsJson({ ...secret.operations, ...stepFunctions.operations })
  const stacks = await serveStacks({
    LongshoreApi: { ApiUrl: 'https://api.example.com' },
    LongshoreSync: { SyncStateMachineArn: stepFunctions.stateMachineArn },
    LongshoreStorage: {
      SnapshotBucketName: stores.bucket,
      StateTableName: stores.table,
      CredentialsSecretArn: 'the-secret',
    },
  })
  closing.push(
    () => stepFunctions.close(),
    ...[services, stacks, stores, platform].map((each) => () => each.close()),
    () => rmSync(folder, { recursive: true }),
  )
  variables = {
    ...awsEnvironment({
      dynamoDb: await endpointOf(stores.dynamodb),
      s3: await endpointOf(stores.s3),
      secretsManager: services.endpoint,
      stepFunctions: services.endpoint,
    }),
    AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.endpoint,
    NO_COLOR: '1',
  }
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      upstream: { baseUrl: platform.url },
      entities: ['CL', 'AD'].map((name) => ({ name, schedule: 'rate(1 day)', pageSize: 10 })),
    }),
  )
})
afterAll(async () => {
  for (const close of closing) await close()
})

async function endpointOf(client: EmbeddedStores['dynamodb'] | EmbeddedStores['s3']): Promise<string> {
  const endpoint = await client.config.endpoint?.()
  return `http://${endpoint?.hostname}:${endpoint?.port}`
}

/** Runs a command without a terminal, as a script would. */
async function longshore(words: string, input = '') {
  const child = start(words)
  child.stdin.end(input)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout: stdout.text, stderr: stderr.text }
}

function start(words: string) {
  const args = [main, ...words.split(' '), '--config', join(folder, 'config.json')]
  return spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...variables } })
}

function collect(stream: NodeJS.ReadableStream) {
  const output = { text: '' }
  stream.on('data', (chunk: Buffer) => {
    output.text += String(chunk)
  })
  return output
}

const until = (output: { text: string }, part: string) =>
  vi.waitFor(() => expect(output.text).toContain(part), 20_000)

describe('credentials set', () => {
  it('keeps the former credentials if the platform rejects the new ones, and prints neither', async () => {
    const { code, stdout, stderr } = await longshore('credentials set', 'wr0ng-key\nwr0ng-token\n')
    expect(code).toBe(1)
    expect(stderr).toContain('rejects these credentials')
    expect(stdout + stderr).not.toMatch(/wr0ng| {4}at /)
    expect(secret.current()).toBe(placeholder)
    expect(secret.stages()).toEqual(['AWSCURRENT'])
  })

  it('keeps the former credentials if the check is inconclusive, unless --skip-check is given', async () => {
    platform.faults.add({
      match: () => true,
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'status', status: 503 },
    })
    const inconclusive = await longshore('credentials set', 'a-key\na-token\n')
    expect(inconclusive).toMatchObject({ code: 1, stderr: expect.stringContaining('--skip-check') as string })
    expect(secret.current()).toBe(placeholder)
    expect(await longshore('credentials set --skip-check', 'a-key\na-token\n')).toMatchObject({ code: 0 })
    expect(secret.current()).toBe('{"appKey":"a-key","appToken":"a-token"}')
    platform.faults.clear()
  })

  it('makes accepted credentials current, after calls that change nothing', async () => {
    platform.requests.splice(0)
    const { code, stdout } = await longshore('credentials set --json', JSON.stringify(localCredentials))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ areas: ['logistics', 'subscriptions', 'documents'] })
    expect(JSON.parse(secret.current() ?? '')).toEqual(localCredentials)
    expect(secret.stages()).toEqual(['AWSCURRENT'])
    expect(platform.requests.map(({ kind }) => kind).toSorted()).toEqual(['dock', 'search'])
  })

  it('explains the expected input if standard input is empty', async () => {
    expect(await longshore('credentials set')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('{"appKey":"…","appToken":"…"}') as string,
    })
  })
})

describe('sync', () => {
  it('starts a run, shows its progress to the end, and its result appears in runs and status', async () => {
    const synced = await longshore('sync CL --watch')
    expect(synced).toMatchObject({ code: 0, stdout: 'Published 95 documents of CL in 0 s; proof: exact.\n' })
    expect(synced.stderr).toContain('100%  95 of 95')
    const { latest } = await snapshot('CL')
    expect((await longshore('runs CL')).stdout).toContain(latest.runId)
    const status = await longshore('status')
    expect(status.stdout).toMatch(/CL +rate\(1 day\) +95 +\d s ago +published/)
    expect(status.stdout).toMatch(/AD +rate\(1 day\) +- +never +-/)
  })

  it('can be cancelled, which ends every --watch with exit code 1', async () => {
    platform.faults.add({
      match: onScroll({ entity: 'CL' }),
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'slow', beforeHeadersMs: 4_000 },
    })
    const watcher = start('sync CL --watch')
    await until(collect(watcher.stderr), 'of 95')
    const second = start('sync CL --watch')
    const [refused] = await Promise.all([longshore('sync CL'), until(collect(second.stderr), 'Watching it')])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is in progress') as string })
    const ends = Promise.all([watcher, second].map((each) => once(each, 'close')))
    expect(await longshore('cancel CL')).toMatchObject({ code: 0 })
    expect((await ends).map(([code]) => code as number)).toEqual([1, 1])
    platform.faults.clear()
    expect(await longshore('cancel CL')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No sync of CL is running') as string,
    })
  })

  it('continues after Ctrl-C ends --watch', async () => {
    platform.faults.add({
      match: onScroll({ entity: 'AD' }),
      times: 1,
      fault: { kind: 'slow', beforeHeadersMs: 4_000 },
    })
    const watcher = start('sync AD --watch')
    const output = collect(watcher.stderr)
    await until(output, 'AD')
    watcher.kill('SIGINT')
    expect((await once(watcher, 'close'))[0]).toBe(130)
    expect(output.text).toContain('continues')
    await vi.waitFor(async () => expect((await snapshot('AD')).lines).toHaveLength(5), 20_000)
  })

  it('lists the configured entities if the entity is not configured', async () => {
    expect(await longshore('sync ZZ')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CL, AD') as string,
    })
  })
})

describe('pull and verify', () => {
  it('download the snapshot byte for byte, or as CSV', async () => {
    const { lines } = await snapshot('CL')
    expect(await longshore('pull CL')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'CL.ndjson'), 'utf8')).toBe(`${lines.join('\n')}\n`)
    expect(await longshore(`pull CL --format csv -o ${folder}/deep/`)).toMatchObject({ code: 0 })
    const csv = readFileSync(join(folder, 'deep', 'CL.csv'), 'utf8')
    expect(csv).toMatch(/^id,/)
    for (const line of lines) expect(csv).toContain(JSON.parse(line).id)
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('detect a damaged page, and leave an existing file unchanged', async () => {
    expect(await longshore('verify CL')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('10 pages, 95 documents, 95 unique ids') as string,
    })
    const { manifest } = await snapshot('CL')
    const key = manifest.pages[3]?.key ?? ''
    const before = readFileSync(join(folder, 'CL.ndjson'))
    await stores.s3.send(new PutObjectCommand({ Bucket: stores.bucket, Key: key, Body: Buffer.alloc(9) }))
    const verified = await longshore('verify CL --json')
    expect(verified.code).toBe(1)
    expect(JSON.parse(verified.stdout).mismatches).toEqual([
      { key, problem: expect.stringContaining('9 bytes') },
    ])
    const pulled = await longshore('pull CL')
    expect(pulled).toMatchObject({ code: 1, stderr: expect.stringContaining(key) as string })
    expect(readFileSync(join(folder, 'CL.ndjson'))).toEqual(before)
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('suggest to deploy or to sync if there is no snapshot', async () => {
    expect(await longshore('pull CL --name Elsewhere')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Not deployed.*ElsewhereStorage[\s\S]*→ npm run deploy/) as string,
    })
    expect(existsSync(join(folder, 'ZZ.ndjson'))).toBe(false)
    const { code, stdout } = await longshore('verify ZZ --json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      error: 'No snapshot of ZZ has been published.',
      fix: expect.stringContaining('sync ZZ --watch'),
    })
  })
})
