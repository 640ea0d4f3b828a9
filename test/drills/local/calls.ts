import { expect } from 'vitest'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { onDock, onSearch } from '../../stand-in-faults.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, partOf, queriesOf, situation } from '../pages.ts'
import { expectHealthy, type LocalDrill, succeeds } from './world.ts'

const dock = '/api/logistics/pvt/configuration/docks/d1'
const search = '/api/dataentities/CL/search'

const investigate = (title: string) => queriesOf(partOf(situation('runbook', title), 'Investigate'))

async function problemOf(response: Response): Promise<{ type: string; detail: string }> {
  return (await response.json()) as { type: string; detail: string }
}

/** Calls that fail or are slow. */
export const callDrills: LocalDrill[] = [
  drill('runbook', 'Server errors', async (world) => {
    world.platform.faults.add({ match: onDock(), fault: { kind: 'reset' }, times: Infinity })
    expect((await world.call(dock)).status).toBe(502)
    return async (operator) => {
      const [failed = 'Crashes'] = investigate('Server errors')
      const [request] = await operator.query(failed)
      expect(request).toMatchObject({ status: 502 })
      const [, family = ''] =
        /`(upstream-)\*`/.exec(partOf(situation('runbook', 'Server errors'), 'Fix')) ?? []
      expect(request?.['problem']).toMatch(new RegExp(`^${family}`))
      world.platform.faults.clear()
      expect((await operator.call(dock)).status).toBe(200)
      expect(await operator.query(failed)).toHaveLength(1)
    }
  }),
  drill('runbook', 'Platform errors', async (world) => {
    world.platform.faults.add({ match: onDock(), fault: { kind: 'html' }, times: Infinity })
    world.platform.faults.add({ match: onScroll({ entity: 'AD' }), fault: { kind: 'html' } })
    await world.call(dock)
    // The run waits and continues.
    await succeeds(world.longshore('sync AD --watch'))
    return async (operator) => {
      const [routes = 'Crashes', warnings = 'Crashes'] = investigate('Platform errors')
      expect(await operator.query(routes)).not.toEqual([])
      const reasons = (await operator.query(warnings)).map(({ reason, detail }) => String(reason ?? detail))
      const listed = [
        ...partOf(situation('runbook', 'Platform errors'), 'Fix').matchAll(/^\| (.+) \| (?!what)/gm),
      ].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.split('…')[0] ?? ''),
      )
      expect(listed.length).toBeGreaterThan(10)
      // The reason is in the table, which also has what to do.
      expect(listed.filter((text) => reasons.join('\n').includes(text))).not.toEqual([])
      world.platform.faults.clear()
      await succeeds(operator.longshore('sync AD --watch'))
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', 'Calls receive 429', async (world) => {
    const limit = world.platform.faults.add({
      match: onDock(),
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': '5' } },
      times: Infinity,
    })
    for (let calls = 0; calls < 3; calls += 1) expect((await world.call(dock)).status).toBe(429)
    return async (operator) => {
      const [routes = 'Crashes'] = queriesOf(situation('symptoms', 'Calls receive 429').text)
      const rows = await operator.query(routes)
      expect(rows[0]).toMatchObject({
        upstreamStatus: 429,
        calls: 3,
        route: expect.stringContaining('docks') as string,
      })
      // By now, the callers stay below the platform's limit.
      limit.remove()
      expect((await operator.call(dock)).status).toBe(200)
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', 'Calls are slow', async (world) => {
    const whole = (url: string) => !url.includes('_fields')
    const slowness = world.platform.faults.add({
      match: (request) => onSearch('CL')(request) && whole(request.url),
      fault: { kind: 'slow', beforeHeadersMs: 1_700 },
      times: Infinity,
    })
    expect((await world.call(`${search}?_sort=id%20ASC`)).status).toBe(200)
    return async (operator) => {
      const [slow = 'Crashes', routes = 'Crashes'] = queriesOf(situation('symptoms', 'Calls are slow').text)
      const [slowest] = await operator.query(slow)
      const { durationMs, upstreamMs } = slowest as { durationMs: number; upstreamMs: number }
      expect(durationMs).toBeGreaterThan(0.8 * 2_000)
      // By the page, close times mean that the platform is slow. Request fewer fields.
      expect(upstreamMs).toBeGreaterThan(0.8 * durationMs)
      expect((await operator.query(routes))[0]).toMatchObject({ calls: 1 })
      const range = { headers: { 'REST-Range': 'resources=0-10' } }
      expect((await operator.call(`${search}?_sort=id%20ASC&_fields=id`, range)).status).toBe(200)
      expect(slowness.struck).toBe(1)
    }
  }),
  drill('symptoms', '404 not-found', async (world) => {
    expect((await problemOf(await world.call('/api/dataentities/CL/find'))).type).toContain('not-found')
    return async (operator) => {
      expect(situation('symptoms', '404 not-found').text).toContain('api.md#routes')
      expect((await operator.call(search)).status).toBe(200)
    }
  }),
  drill('symptoms', '401 or 403 with a body from the platform', async (world) => {
    const limited = { appKey: 'local-app-key', appToken: 'local-app-token', areas: ['documents'] as const }
    world.platform.credentials.splice(0, 1, limited)
    const response = await world.call(dock)
    expect([401, 403]).toContain(response.status)
    expect(response.headers.get('content-type')).not.toContain('problem')
    return async (operator) => {
      // The app key gets the permission on the platform.
      const { appKey, appToken } = limited
      world.platform.credentials.splice(0, 1, { appKey, appToken })
      expect((await operator.call(dock)).status).toBe(200)
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', '502 response-too-large', async (world) => {
    world.platform.documents.set('CL', makeDocuments(100, { bytes: 100_000 }))
    const response = await world.call(`${search}?_sort=id%20ASC`, {
      headers: { 'REST-Range': 'resources=0-100' },
    })
    expect(response.status).toBe(502)
    expect((await problemOf(response)).type).toContain('response-too-large')
    return async (operator) => {
      const { text } = situation('symptoms', '502 response-too-large')
      expect(text).toMatch(/REST-Range.*_fields/)
      const fewer = { headers: { 'REST-Range': 'resources=0-10' } }
      expect((await operator.call(`${search}?_sort=id%20ASC`, fewer)).status).toBe(200)
      world.platform.documents.set('CL', makeDocuments(200))
    }
  }),
  drill('symptoms', '400 that names a query parameter', async (world) => {
    const response = await world.call(`${dock}?wanted=1`)
    expect(response.status).toBe(400)
    expect((await problemOf(response)).detail).toContain('wanted')
    return async (operator) => {
      const document = await operator.call('/openapi.json')
      expect(await document.text()).not.toContain('"wanted"')
      expect((await operator.call(dock)).status).toBe(200)
    }
  }),
  drill('symptoms', 'Search skips or repeats documents', async (world) => {
    expect((await world.call(search)).headers.get('longshore-warning')).toContain('_sort')
    return async (operator) => {
      const [, parameter = ''] =
        /Send `(\w+)`/.exec(situation('symptoms', 'Search skips or repeats documents').text) ?? []
      const sorted = await operator.call(`${search}?${parameter}=id%20ASC`)
      expect([sorted.status, sorted.headers.get('longshore-warning')]).toEqual([200, null])
    }
  }),
  drill('symptoms', 'Search does not find a new document', async ({ platform, call }) => {
    const id = 'new-document'
    const documents = makeDocuments(200)
    platform.documents.set('CL', [...documents, Buffer.from(`{"id":"${id}"}`)])
    platform.faults.add({ match: onSearch('CL'), fault: { kind: 'lag', documents: 1 } })
    const found = async (caller: typeof call) => (await caller(`${search}?id=${id}&_sort=id%20ASC`)).json()
    expect(await found(call)).toEqual([])
    return async (operator) => {
      // The platform has indexed the document by now.
      expect(await found(operator.call)).toMatchObject([{ id }])
      platform.documents.set('CL', documents)
    }
  }),
  drill('symptoms', '503 credentials-not-set', async (world) => {
    const placeholder = { appKey: 'replace-me', appToken: 'replace-me' }
    await world.longshore('credentials set --skip-check --no-sync', placeholder)
    const { platform } = world
    // The proxy keeps credentials until the platform rejects them.
    platform.credentials.splice(0, 1, { appKey: 'other', appToken: 'other' })
    const status = async () => (await world.call(dock)).status
    await expect.poll(status, { timeout: 60_000, interval: 500 }).not.toBe(200)
    platform.credentials.splice(0, 1, { appKey: 'local-app-key', appToken: 'local-app-token' })
    return async (operator) => {
      const { text } = situation('symptoms', '503 credentials-not-set')
      for (const args of longshoreArgs(commandsOf(text, {}))) await succeeds(operator.longshore(args))
      await expect.poll(status, { timeout: 60_000, interval: 500 }).toBe(200)
      await expectHealthy(operator)
    }
  }),
]
