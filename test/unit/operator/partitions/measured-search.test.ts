import { afterAll, beforeAll, expect, it } from 'vitest'
import { cacheCredentials } from '../../../../functions/upstream/credential-cache.ts'
import { makeDocuments } from '../../../../local/stand-in/documents.ts'
import { localCredentials, type Platform, startPlatform } from '../../../../local/stand-in/platform.ts'
import { Interrupted } from '../../../../operator/errors.ts'
import { measuredSearch } from '../../../../operator/partitions/measured-search.ts'
import { entityNamed } from '../../../entity-named.ts'
import { onSearch } from '../../../stand-in-faults.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ documents: { CL: makeDocuments(95) } })
})
afterAll(() => platform.close())

const credentials = cacheCredentials({
  secretIds: { documents: 's' },
  read: async () => ({ value: JSON.stringify(localCredentials), version: '1' }),
})

/** `onRequest` is called after each request. */
function searches(onRequest: (controller: AbortController) => void = () => undefined) {
  const shown: unknown[] = []
  const controller = new AbortController()
  const upstream = {
    baseUrl: platform.url,
    headerPrefix: 'X-SVC',
    searchPath: '/api/dataentities/{data_entity}/search',
    timeoutSeconds: 25,
  }
  const options = {
    settings: { upstream } as never,
    credentials,
    progress: {
      show: (...step: unknown[]) => {
        shown.push(step)
        onRequest(controller)
      },
      end: () => undefined,
    },
    signal: controller.signal,
  }
  return { shown, controller, ...measuredSearch(options, entityNamed('CL', {}), 'createdIn') }
}

it('searches are counted, shown and timed by their mean', async () => {
  const { search, shown, requests, meanMs } = searches()
  expect([requests(), meanMs()]).toEqual([0, 0])
  const delayMs = 40
  platform.faults.add({ match: onSearch(), times: 3, fault: { kind: 'slow', beforeHeadersMs: delayMs } })
  const startedAt = performance.now()
  for (let count = 1; count <= 3; count++) {
    expect(await search({})).toMatchObject({ total: 95 })
    expect(meanMs()).toBeGreaterThanOrEqual(delayMs * 0.9)
  }
  const elapsedMs = performance.now() - startedAt
  expect(requests()).toBe(3)
  expect(meanMs() * 3).toBeLessThanOrEqual(elapsedMs)
  expect(shown).toEqual([
    [1, null],
    [2, null],
    [3, null],
  ])
})

it('a failed request is counted too, and an interrupt ends the wait before its repeat', async () => {
  const { search, requests } = searches((controller) => controller.abort())
  platform.requests.splice(0)
  platform.faults.add({ match: onSearch(), times: 1, fault: { kind: 'status', status: 500 } })
  await expect(search({ sort: 'ASC' })).rejects.toThrow(new Interrupted('Interrupted. Nothing was changed.'))
  expect(requests()).toBe(1)
  expect(platform.requests.map(({ url }) => url)).toEqual([
    '/api/dataentities/CL/search?_fields=createdIn&_sort=createdIn+ASC',
  ])
})

it('no search is sent after an interrupt', async () => {
  const { search, controller, requests } = searches()
  controller.abort()
  await expect(search({})).rejects.toThrow(new Interrupted('Interrupted. Nothing was changed.'))
  expect(requests()).toBe(0)
})
