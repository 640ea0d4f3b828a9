import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { EntityResponse } from '../../console/contract/overview.ts'
import type { RunResponse } from '../../console/contract/run.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { type CliWorld, startCliWorld } from './cli-world.ts'
import { consoleClient } from './console-client.ts'
import { type ConsoleProcess, startConsole } from './console-process.ts'

let world: CliWorld
let started: ConsoleProcess
let client: ReturnType<typeof consoleClient>
let url = ''

beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
  started = await startConsole(world)
  url = started.url
  client = consoleClient(url)
})
afterAll(async () => {
  await started?.stop()
  await world.close()
})

describe('longshore console', () => {
  it('sets the cookie once, and the browser continues at / by itself', async () => {
    const { status, headers, body } = await client.signIn()
    expect(status).toBe(200)
    expect(String(headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict$/)
    expect(body).toContain('content="0; url=/"')
    expect((await consoleClient(url).signIn()).status).toBe(403)
  })

  it('serves the page under a policy that allows only its own files', async () => {
    const { status, headers, body } = await client.open('/')
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    expect(body).not.toMatch(/<script>|style=|https?:\/\/(?!www\.w3\.org)/)
    for (const [, file] of body.matchAll(/(?:src|href)="(\/[^"]*)"/g))
      expect((await client.open(file ?? '')).status).toBe(200)
    expect((await client.open('/console/server/console.ts')).status).toBe(404)
  })

  it('starts a sync, shows its run, its story and the entity, and refuses a second start while it runs', async () => {
    const slow = { kind: 'slow', beforeHeadersMs: 200 } as const
    world.platform.faults.add({ match: onScroll(), times: Number.POSITIVE_INFINITY, fault: slow })
    const started = await client.post('/entities/CL/start')
    expect(started.status).toBe(200)
    expect(await client.post('/entities/CL/start')).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('is in progress') as string,
        fix: expect.any(String) as string,
      },
    })
    world.platform.faults.clear()
    const runPath = `/entities/CL/runs/${String(started.body['runId'])}`
    await vi.waitFor(
      async () => expect((await client.get<RunResponse>(runPath)).run.status).toBe('published'),
      20_000,
    )
    const { run, notes, logsCommand, executionUrl } = await client.get<RunResponse>(runPath)
    expect(run).toMatchObject({ documents: 95, uniqueIds: 95, proof: 'exact', attempt: 1 })
    expect(notes.map(({ text }) => text)).toContain('Published 95 documents with 95 unique ids.')
    expect(logsCommand).toContain(`longshore logs ${run.runId} --config`)
    expect(executionUrl).toMatch(/^https:\/\/us-east-1\.console\.aws\.amazon\.com\/states\//)
    const { row } = await client.get<EntityResponse>('/entities/CL')
    expect(row).toMatchObject({ entity: 'CL', freshness: { kind: 'fresh' }, proof: 'exact', trend: [95] })
  })
})

it.each([
  ['console --port 70000', 2, "--port: '70000' is not a number from 0 to 65535"],
  ['console --port x', 2, "--port: 'x' is not a number from 0 to 65535"],
])('longshore %s exits with %i', async (args, code, message) => {
  const result = await world.longshore(args)
  expect(result.code).toBe(code)
  expect(result.stderr).toContain(message)
})

it('longshore console reports a port that is in use', async () => {
  const { port } = new URL(url)
  const result = await world.longshore(`console --no-open --port ${port}`)
  expect(result.code).toBe(2)
  expect(result.stderr).toContain(`--port: ${port} is in use`)
})
