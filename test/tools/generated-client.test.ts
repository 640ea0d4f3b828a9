import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { generateApi } from 'swagger-typescript-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { type NpmStart, npmStart } from '../npm-start.ts'

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** A project with the generated client and strict compiler options. */
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom'],
  module: 'nodenext',
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  outDir: 'built',
}

/** A caller's program that uses the generated types. */
const program = `
import { Api } from './client.js'

export async function useIt(baseUrl: string) {
  const { api } = new Api({ baseUrl })
  const { data: dock } = await api.readDock('dock-1')
  const priority: number | undefined = dock.priority
  const isPickupStore: boolean | undefined = dock.pickupStoreInfo?.isPickupStore
  const { status } = await api.updateSubscription('subscription-1', { item: { quantity: 3 }, isSkipped: false })
  await api.updateSubscriptionGroup('group-1', { item: [{ sku: { id: '7' }, quantity: 2 }] }, { an: 'shop' })
  return { name: dock.name, priority, isPickupStore, status }
}
`

/** Wrong calls that the compiler reports. */
const wrongCalls = [
  'api.readDock(1)',
  'api.readDock()',
  "api.updateSubscription('s', { item: [{ quantity: 3 }] })",
  "api.updateSubscription('s', { item: { quantity: 'three' } })",
  "api.updateSubscriptionGroup('g', { item: { quantity: 3 } })",
  "api.updateSubscriptionGroup('g', { item: [{ sku: { id: 7 } }] })",
  "syncs.startSync('CL', { acceptShrink: 'yes' })",
  "api.readDock('d').then(({ data }) => data.priority?.toUpperCase())",
]

let folder: string
let platform: Platform
let started: NpmStart

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-client-'))
  const dock = { id: 'dock-1', name: 'Quay', priority: 2, pickupStoreInfo: { isPickupStore: true } }
  platform = await startPlatform({
    documents: { CL: makeDocuments(10) },
    docks: { 'dock-1': Buffer.from(JSON.stringify(dock)) },
    subscriptions: { 'subscription-1': { status: 'ACTIVE', item: { quantity: 1 } } },
    groups: { 'group-1': { status: 'ACTIVE', item: [] } },
  })
  started = await npmStart({ entities: [{ name: 'CL', schedule: 'rate(1 day)' }] }, platform.url)
  const description = await (await fetch(`${started.apiUrl}/openapi.json`)).json()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(description))
  await generateApi({
    input: join(folder, 'openapi.json'),
    output: folder,
    fileName: 'client.ts',
    cleanOutput: false,
    silent: true,
  })
})
afterAll(async () => {
  await started?.stop()
  await platform?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Compiles one file of the project. Returns the compiler's errors, or an empty text. */
function compile(file: string, content: string): Promise<string> {
  writeFileSync(join(folder, file), content)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  return new Promise((done) => {
    execFile(process.execPath, [tsc, '--pretty', 'false', '--project', folder], (error, stdout, stderr) =>
      done(error ? stdout + stderr : ''),
    )
  })
}

describe('a client that is generated from /openapi.json', () => {
  it('type-checks, reads a dock and updates subscriptions', async () => {
    expect(await compile('program.ts', program)).toBe('')
    const { useIt } = (await import(pathToFileURL(join(folder, 'built/program.js')).href)) as {
      useIt: (baseUrl: string) => Promise<unknown>
    }
    expect(await useIt(started.apiUrl)).toEqual({
      name: 'Quay',
      priority: 2,
      isPickupStore: true,
      status: 200,
    })
    expect(platform.subscriptions.get('subscription-1')).toMatchObject({ item: { quantity: 3 } })
    expect(platform.groups.get('group-1')?.item).toEqual([
      expect.objectContaining({ sku: { id: '7' }, quantity: 2 }),
    ])
    const [patch, groupPatch] = platform.requests.filter(({ method }) => method === 'PATCH')
    expect(String(patch?.body)).toBe('{"item":{"quantity":3},"isSkipped":false}')
    expect(groupPatch?.url).toBe('/api/rns/subscriptions-group/group-1?an=shop')
  })

  it('makes the compiler report wrongly typed calls', async () => {
    const calls = wrongCalls.map((call) => `  await ${call}`)
    const lines = [
      "import { Api } from './client.js'",
      'export async function wrong({ api, syncs }: Api<unknown>) {',
      ...calls,
      '}',
    ]
    const output = await compile('wrong-calls.ts', lines.join('\n'))
    const wrongLines = [...output.matchAll(/wrong-calls\.ts\((\d+),/g)].map(([, line]) => Number(line) - 1)
    expect([...new Set(wrongLines)].map((line) => lines[line])).toEqual(calls)
  })
})
