import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HealthResponse } from '../../console/contract/health.ts'
import type { OverviewResponse } from '../../console/contract/overview.ts'
import type { LocalInstance, PublicInstance } from '../../operator/deployment/local-instance.ts'
import { startCommand } from '../command-line.ts'
import { consoleClient } from '../integration/console-client.ts'
import { type NpmStart, npmStart } from '../npm-start.ts'

let folder: string
let started: NpmStart
const before = { directory: process.cwd(), variables: { ...process.env } }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  // A sync of AD takes so long that it can be cancelled.
  const slow = { name: 'AD', schedule: 'rate(1 day)', pageSize: 20, enabled: false }
  started = await npmStart({ entities: [{ name: 'CL', schedule: 'rate(1 day)' }, slow] })
  process.chdir(folder)
  // The developer's AWS profile must have no effect.
  Object.assign(process.env, { AWS_PROFILE: 'nobody', NO_COLOR: '1', LONGSHORE_LOCAL: started.localFile })
})
afterAll(async () => {
  process.chdir(before.directory)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, before.variables)
  await started?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const longshore = (args: string, input = '') => startCommand(args.split(' '), { input }).ended

it('the console of npm start is at / for the browser that opens the printed URL first, and for nobody else', async () => {
  const url = /http:\S+token=\S+/.exec(started.printed())?.[0] ?? ''
  expect((await fetch(`${started.apiUrl}/`)).status).toBe(401)
  expect((await fetch(`${started.apiUrl}/console/api/overview`)).status).toBe(401)
  const client = consoleClient(url)
  await client.signIn()
  expect((await client.open('/')).body).toContain('<title>Longshore console</title>')
  const overview = await client.get<OverviewResponse>('/overview')
  expect(overview.place).toBe('npm start on this machine')
  expect(overview.entities[0]).toMatchObject({
    entity: 'CL',
    snapshot: { documents: 5001 },
    trend: [5000, 5001],
  })
  const health = await client.get<HealthResponse>('/health')
  expect(health.alarms).toBeNull()
  expect(health.findings.map(({ text }) => text).join()).toContain('CL: 5,001 documents')
})

describe('longshore --local', () => {
  it('checks the running npm start and its platform', async () => {
    const { code, stdout } = await longshore('--local doctor')
    expect(stdout).toContain(`npm start is running at ${started.apiUrl}`)
    expect(stdout).toContain('The platform accepts the credentials for logistics')
    expect(stdout).toContain('CL: 5,001 documents')
    expect([code, stdout]).toEqual([0, expect.stringContaining('No problems found')])
  })

  it('shows when a schedule runs next, and pauses an entity as a deployment does', async () => {
    expect(await longshore('repair-schedule CL')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is nothing to repair') as string,
    })
    expect((await longshore('status')).stdout).toMatch(/^CL +rate\(1 day\) .* in \d+ h$/m)
    expect(await longshore('pause CL')).toMatchObject({ code: 0 })
    expect((await longshore('status')).stdout).toMatch(/^CL +rate\(1 day\) .* paused$/m)
    expect(await longshore('resume CL')).toMatchObject({ code: 0 })
  })

  it('is the only one that the services of npm start respond to', async () => {
    const { environment, apiUrl } = instance()
    const { baseUrl } = (await (await fetch(`${apiUrl}/local.json`)).json()) as PublicInstance
    const endpoints = Object.entries(environment).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'))
    expect(endpoints).toHaveLength(7)
    for (const url of [...endpoints.map(([, endpoint]) => endpoint), baseUrl]) {
      const { status, headers } = await fetch(url, { method: 'POST', body: '{}' })
      expect([url, status]).toEqual([url, url === baseUrl ? 404 : 403])
      expect([...headers.keys()].join()).not.toContain('access-control')
    }
  })

  it('reads the access keys from a file that only the user can read', async () => {
    expect(statSync(started.localFile).mode & 0o777).toBe(0o600)
    expect(await (await fetch(`${started.apiUrl}/local.json`)).json()).toEqual({
      startedAt: instance().startedAt,
      platform: 'stand-in',
      baseUrl: expect.stringContaining('http://127.0.0.1:') as string,
      aheadMs: 0,
    })
  })
})

const instance = () => JSON.parse(readFileSync(started.localFile, 'utf8')) as LocalInstance

it('explains how to start npm start without one', async () => {
  process.env['LONGSHORE_LOCAL'] = join(folder, 'none.json')
  const { code, stderr } = await longshore('status')
  expect(stderr).toMatch(/npm start is not running: .*npm start/s)
  expect(stderr).not.toContain('    at ')
  expect(code).toBe(1)
})

it('npm start removes its file when it stops', async () => {
  const other = await npmStart({ entities: [] })
  expect(JSON.parse(readFileSync(other.localFile, 'utf8'))).toMatchObject({ apiUrl: other.apiUrl })
  other.process.kill('SIGINT')
  await once(other.process, 'close')
  expect(() => readFileSync(other.localFile)).toThrow('ENOENT')
  await other.stop()
})
