import { expect } from 'vitest'
import { latestKey, manifestKey } from '../../../stored/snapshots/manifest.ts'
import type { SyncApiTestbed } from './sync-api-testbed.ts'

const route = 'POST /syncs/{entity}/runs/{runId}/accept'

export function contextOf(authorizer: object) {
  return { requestId: 'r', domainName: 'api.example.com', stage: '$default', authorizer }
}
export const asAlice = { requestContext: contextOf({ iam: { userArn: 'arn:aws:iam::1:user/alice' } }) }

/** Calls that accept the run `runId` of CL. */
export function acceptCalls(current: () => { readonly testbed: SyncApiTestbed; readonly runId: string }) {
  const put = (key: string, value: object) =>
    current().testbed.s3.objects.set(key, { body: Buffer.from(JSON.stringify(value)), etag: '"1"' })
  const accept = (body: string | object = { guard: 'snapshot' }, change: object = {}) => {
    const { testbed, runId } = current()
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return testbed.call(route, { entity: 'CL', runId }, { body: text, ...change })
  }
  return {
    put,
    accept,

    /** Lets `latest.json` name a run. */
    publish: (run: string, publishedAt = '') =>
      put(latestKey('CL'), { runId: run, manifest: manifestKey('CL', run), publishedAt, documents: 1 }),

    /** A snapshot whose pages are stored. */
    manifestOf: (run: string) => {
      const key = `snapshots/CL/${run}/a1-p000001-x.ndjson.gz`
      put(key, {})
      const pages = [{ key, documents: 1 }]
      return { version: 1, entity: 'CL', runId: run, documents: 1, uniqueIds: 1, pages }
    },

    expectConflict: async (detail: RegExp, body?: object): Promise<void> => {
      const { testbed, runId } = current()
      expect(await accept(body)).toMatchObject({
        status: 409,
        body: { type: 'urn:longshore:problem:not-acceptable', detail: expect.stringMatching(detail), runId },
      })
      expect(testbed.started).toEqual([])
      expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
    },
  }
}
