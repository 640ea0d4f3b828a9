import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../cli/run.ts'
import { createTerminal } from '../../cli/shell/terminal.ts'
import { resolveConfig } from '../../lib/config.ts'
import type { Bundle } from '../../local/bundle.ts'
import { makeDocuments } from '../../local/platform/documents.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/platform/platform.ts'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import type { Finding } from '../../operator/doctor/finding.ts'
import { startStandInBundle } from './stand-in-bundle.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
const entity = (name: string) => ({ name, schedule: 'rate(1 day)', pageSize: 50 })

const documents = makeDocuments(200)

let platform: Platform
let bundle: Bundle
const before = { directory: process.cwd(), variables: { ...process.env } }

beforeAll(async () => {
  platform = await startPlatform({ documents: { CL: documents, AD: makeDocuments(20) } })
  const configuration = { upstream: { baseUrl: platform.url }, entities: [entity('CL'), entity('AD')] }
  bundle = await startStandInBundle(resolveConfig(configuration), platform)
  process.env['LONGSHORE_LOCAL'] = bundle.instanceFile
  process.chdir(folder)
})
afterAll(async () => {
  process.chdir(before.directory)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, before.variables)
  await bundle.close('delete-log')
  await platform.close()
  rmSync(folder, { recursive: true })
})

/** Runs a command as a script would. Standard input has the credentials that the platform accepts. */
async function longshore(words: string, input: object = localCredentials) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const stdin = Readable.from([JSON.stringify(input)])
  const session = {
    terminal: createTerminal({ stdin, stdout, stderr }),
    signal: new AbortController().signal,
  }
  const printed = Promise.all([text(stdout), text(stderr)])
  const code = await runCommandLine(words.split(' '), session)
  stdout.end()
  stderr.end()
  const [results, notes] = await printed
  return { code, stdout: results, stderr: notes }
}

/** The command lines that a fix names, in their order. */
const commandsIn = (fix: string) =>
  [...fix.matchAll(/npx --no-install longshore ([a-z][^()\n`]*?)(?=\)|$|, then| or replace|\n|`)/g)].map(
    ([, words = '']) => words.trim(),
  )

async function problems(): Promise<Finding[]> {
  const { stdout } = await longshore('doctor --json')
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return findings.filter(({ level }) => level === 'problem')
}

/** Follows the fix of each problem that doctor finds, from the first to the last. */
async function followDoctor(): Promise<string[]> {
  const followed: string[] = []
  for (const { fix = '' } of await problems()) {
    const [command = ''] = commandsIn(fix)
    if (followed.includes(command)) continue
    followed.push(command)
    expect({ fix, ...(await longshore(command)) }).toMatchObject({ code: 0 })
  }
  return followed
}

async function healthy(): Promise<void> {
  expect(await problems()).toEqual([])
}

const lastRun = async (name: string) => JSON.parse((await longshore(`runs ${name} --json`)).stdout).runs[0]

/** Waits until the change sets lead to the last run of CL. */
async function compared(): Promise<void> {
  const { runId } = await lastRun('CL')
  const tip = async () => JSON.parse((await longshore('changes CL --json')).stdout).tip
  await vi.waitFor(async () => expect(await tip()).toBe(runId), waiting)
}

/** The last step of docs/erasure.md, "Erase at once". */
async function deleteExcept(runId: string): Promise<void> {
  const s3 = awsClients.bucket()
  const { bucket: Bucket } = bundle.instance
  for (const Prefix of ['snapshots/CL/', 'changes/CL/']) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
    const keys = Contents.flatMap(({ Key = '' }) =>
      /\/\d{8}T/.test(Key) && !Key.includes(runId) ? [Key] : [],
    )
    for (const Key of keys) await s3.send(new DeleteObjectCommand({ Bucket, Key }))
  }
}

const waiting = { timeout: 20_000, interval: 500 }

describe('what doctor names resolves what it found:', () => {
  it('nothing was synced yet', async () => {
    expect(await followDoctor()).toEqual(['sync CL --watch', 'sync AD --watch'])
    await healthy()
  })

  it('the credentials are wrong, and a run failed because of them', async () => {
    const wrong = { appKey: localCredentials.appKey, appToken: 'wrong' }
    await longshore('credentials set --skip-check --no-sync', wrong)
    // The worker keeps credentials until they are rejected.
    platform.credentials.splice(0, platform.credentials.length, { appKey: 'other', appToken: 'other' })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    platform.credentials.splice(0, platform.credentials.length, localCredentials)
    expect(await followDoctor()).toEqual(['credentials set', 'sync AD --watch'])
    await healthy()
  })

  it('the last run failed because the platform did not have the entity', async () => {
    platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'status', status: 404 },
    })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    platform.faults.clear()
    const [problem] = await problems()
    expect(problem?.fix).toMatch(
      /^check the name and 'query' of AD in the configuration and deploy, then run /,
    )
    expect(await followDoctor()).toEqual(['sync AD --watch'])
    await healthy()
  })

  it('an entity was removed', async () => {
    const instance = JSON.parse(readFileSync(bundle.instanceFile, 'utf8'))
    const file = join(folder, 'without-ad.json')
    const entities = instance.configuration.entities.filter(({ name }: { name: string }) => name !== 'AD')
    writeFileSync(
      file,
      JSON.stringify({ ...instance, configuration: { ...instance.configuration, entities } }),
    )
    process.env['LONGSHORE_LOCAL'] = file
    const orphans = async () => {
      const { findings } = JSON.parse((await longshore('doctor --json')).stdout) as { findings: Finding[] }
      return findings.flatMap(({ fix = '' }) => (fix.includes(' purge ') ? [fix] : []))
    }
    const [fix = ''] = await orphans()
    const [command = ''] = commandsIn(fix)
    // Without a terminal it asks for --yes, with the whole command.
    const { stderr } = await longshore(command)
    const [confirmed = ''] = commandsIn(stderr.trimEnd())
    expect(confirmed).toBe('purge AD --yes')
    expect(await longshore(confirmed)).toMatchObject({ code: 0 })
    expect(await orphans()).toEqual([])
    process.env['LONGSHORE_LOCAL'] = bundle.instanceFile
    // The entity is added again.
    expect(await followDoctor()).toEqual(['sync AD --watch'])
    await healthy()
  })
})

describe('what an error names resolves it:', () => {
  it('a file exists', async () => {
    await longshore('pull CL -o out.ndjson')
    const { code, stderr } = await longshore('pull CL -o out.ndjson')
    expect(code).toBe(1)
    const commands = commandsIn(stderr)
    expect(commands).toEqual(['pull CL -o out.ndjson --update', 'pull CL -o out.ndjson --force'])
    for (const command of commands) expect(await longshore(command)).toMatchObject({ code: 0 })
  })

  it('a pulled file was modified', async () => {
    writeFileSync('out.ndjson', '{}\n')
    const { code, stderr } = await longshore('pull CL -o out.ndjson --update')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stderr)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    expect(await longshore('pull CL -o out.ndjson --update')).toMatchObject({ code: 0 })
  })

  it('a page of the snapshot is gone', async () => {
    const { runId } = await lastRun('CL')
    const [Bucket, Prefix] = [bundle.instance.bucket, `snapshots/CL/${runId}/a1`]
    const s3 = awsClients.bucket()
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
    await s3.send(new DeleteObjectCommand({ Bucket, Key: Contents[0]?.Key ?? '' }))
    const { code, stdout } = await longshore('verify CL')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stdout)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    expect(await longshore('verify CL')).toMatchObject({ code: 0 })
  })

  it('a consumer missed more change sets than are kept', async () => {
    await longshore('pull CL -o consumer.ndjson')
    await longshore('changes CL --reset')
    await longshore('sync CL --watch')
    await compared()
    const { code, stderr } = await longshore('pull CL -o consumer.ndjson --update')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stderr)
    expect(command).toMatch(/^pull CL -o .*consumer\.ndjson --force$/)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    await longshore('sync CL --watch')
    await compared()
    expect(await longshore('pull CL -o consumer.ndjson --update')).toMatchObject({ code: 0 })
  })
})

describe('the runbook resolves', () => {
  /** The commands of a section, for this entity and run. */
  function commandsOf(
    section: string,
    { name, runId = '' }: { name: string; runId?: string },
    page = runbook,
  ): string[] {
    const [, body = ''] = page.split(`\n## ${section}\n`)
    const [own = ''] = body.split('\n## ')
    return [...own.matchAll(/npx --no-install longshore ([^`\n]+)/g)].map(([, words = '']) =>
      words.replace('ENTITY', name).replace('RUN_ID', runId),
    )
  }

  const refused = 'Snapshot refused'

  it(`"${refused}" if the loss is a mistake of the platform`, async () => {
    platform.documents.set('CL', documents.slice(0, 80))
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
    const { runId } = await lastRun('CL')
    const [review = ''] = commandsOf(refused, { name: 'CL', runId })
    const { code, stdout } = await longshore(review)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('120') as string })
    platform.documents.set('CL', documents)
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 0 })
    await healthy()
  })

  it(`"${refused}", then "Changes refused", if the loss is correct`, async () => {
    platform.documents.set('CL', documents.slice(0, 80))
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
    const { runId } = await lastRun('CL')
    const [review = '', accept = ''] = commandsOf(refused, { name: 'CL', runId })
    expect(await longshore(review)).toMatchObject({ code: 0 })
    expect(await longshore(`${accept} --yes`)).toMatchObject({ code: 0 })
    expect(await lastRun('CL')).toMatchObject({ runId, status: 'published' })

    const [reviewChanges = '', acceptChanges = ''] = commandsOf('Changes refused', { name: 'CL', runId })
    await vi.waitFor(
      async () => expect(await longshore(reviewChanges)).toMatchObject({ code: 0, stderr: '' }),
      waiting,
    )
    expect(await longshore(`${acceptChanges} --yes`)).toMatchObject({ code: 0 })
    await compared()
    await healthy()
  })

  it('"Changes failed" by starting the chain again', async () => {
    const commands = commandsOf('Changes failed', { name: 'CL' }).filter((words) =>
      /^(changes|sync)/.test(words),
    )
    expect(commands).toEqual(['changes CL --reset', 'sync CL --watch'])
    for (const command of commands) expect(await longshore(command)).toMatchObject({ code: 0 })
    await compared()
  })

  it('a publication that was a mistake, by publishing the previous snapshot again', async () => {
    const { runId } = await lastRun('CL')
    const [first = Buffer.alloc(0), ...rest] = documents.slice(0, 80)
    const { id } = JSON.parse(String(first))
    platform.documents.set('CL', [Buffer.from(`{"id":"${id}","mistake":true}`), ...rest])
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 0 })
    await compared()
    expect((await longshore(`history CL ${id} --at 0d`)).stdout).toContain('"mistake":true')

    const operate = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8')
    const [command = ''] = /republish RUN_ID/.exec(operate) ?? []
    const again = await longshore(`${command.replace('RUN_ID', runId)} --yes`)
    expect(again).toEqual({ ...again, code: 0 })
    await compared()
    expect((await longshore(`history CL ${id} --at 0d`)).stdout).toBe(`${String(first)}\n`)
    platform.documents.set('CL', documents.slice(0, 80))
    await healthy()
  })

  it('a document that must be erased, which no snapshot and no change set contains afterwards', async () => {
    const erasure = readFileSync(new URL('../../docs/erasure.md', import.meta.url), 'utf8')
    const steps = commandsOf('Erase at once', { name: 'CL' }, erasure)
    expect(steps).toEqual(['changes CL --reset', 'sync CL --watch'])
    const [erased = Buffer.alloc(0), ...others] = documents.slice(0, 80)
    const { id } = JSON.parse(String(erased))
    platform.documents.set('CL', others)
    for (const step of steps) expect(await longshore(step)).toMatchObject({ code: 0 })
    await compared()
    const { runId } = await lastRun('CL')
    await deleteExcept(runId)
    const { code, stderr } = await longshore(`history CL ${id}`)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('No kept snapshot or change set of CL contains') as string,
    })
    await healthy()
  })

  it('"Credentials not set"', async () => {
    await longshore('credentials set --skip-check --no-sync', {
      appKey: 'replace-me',
      appToken: 'replace-me',
    })
    const [set = ''] = commandsOf('Credentials not set', { name: 'CL' })
    expect(await longshore(set)).toMatchObject({ code: 0 })
    await healthy()
  })
})
