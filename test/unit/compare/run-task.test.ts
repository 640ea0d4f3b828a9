import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { unpublishedKey } from '../../../stored/changes/change-keys.ts'
import {
  ChangeSetTestbed,
  type ContextChange,
  numberedDocuments as documents,
  withChanges,
  withPublisher,
} from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const failingEvents: ContextChange = (context) => ({
  ...context,
  publishEvent: async () => {
    throw new Error('no event bus')
  },
})
const eventNotSent = (runId: string) => ({
  level: 'ERROR',
  message: 'event not sent',
  fields: expect.objectContaining({
    entity: 'CL',
    runId,
    type: expect.stringMatching(/^Changes /) as string,
    error: expect.objectContaining({ message: 'no event bus' }) as object,
    EventsNotSent: 1,
  }) as object,
})
/** A publication that the guard refuses. */
async function refusable() {
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
  await testbed.next({ documents: documents(20) })
  return testbed.publish({ documents: documents(2) })
}
const reason = 'The comparison stopped.'
const recordFailure = (runId: string | undefined, change?: ContextChange) =>
  testbed.invoke(
    { task: 'record-failure', request: { entity: 'CL', runId, acceptDeletes: false }, reason },
    change,
  )

describe('a task of the comparison', () => {
  it('needs an entity that is configured', async () => {
    const request = { entity: 'AD', runId: undefined, acceptDeletes: false }
    await expect(testbed.invoke({ task: 'compare', request })).rejects.toThrow(
      "The entity 'AD' is not configured. Configured entities: CL.",
    )
  })

  it('fails with an error that a retry may resolve if a service is down', async () => {
    testbed.publish({ documents: documents(1) })
    const down = withChanges(() => ({ readLatest: () => Promise.reject(new Error('S3 is down')) }))
    await expect(testbed.compare({}, down)).rejects.toThrow('S3 is down')
    expect([testbed.events, testbed.logs]).toEqual([[], []])
  })

  it('reports the failure that the state machine caught', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(1) })
    const runId = testbed.publish({ documents: documents(2) })
    const failed = { entity: 'CL', base: first.runId, runId, reason }
    expect(await recordFailure('older')).toEqual({ status: 'failed', ...failed })
    expect(testbed.events.at(-1)).toEqual({ type: 'Changes Failed', detail: failed })
    expect(testbed.logs.at(-1)).toMatchObject({
      level: 'WARN',
      message: 'comparison ended',
      fields: { status: 'failed', ...failed },
    })
  })

  it('reports no failure of a comparison that stopped after it published its set', async () => {
    const { manifest } = await testbed.next({ documents: documents(1) })
    const { runId } = manifest
    expect(await recordFailure(runId)).toMatchObject({ status: 'published', runId, kind: 'reset' })
    expect(testbed.events).toMatchObject([{ type: 'Changes Published' }])
    await testbed.next({ documents: documents(2) })
    expect(await recordFailure(runId)).toMatchObject({ status: 'published', runId, kind: 'reset' })
    expect(testbed.events.map(({ type }) => type)).toEqual(['Changes Published', 'Changes Published'])
    testbed.changes = false
    expect(await recordFailure(runId)).toMatchObject({ status: 'failed' })
  })

  it.each([
    ['run-1', 'run-1'],
    [undefined, null],
  ])('reports a failure of run %s before the first snapshot', async (runId, reported) => {
    expect(await recordFailure(runId)).toMatchObject({ status: 'failed', base: null, runId: reported })
  })
})

describe('a comparison that publishes nothing', () => {
  const record = () => JSON.parse(testbed.text(unpublishedKey('CL')) ?? 'null') as unknown
  const failed = { kind: 'failed', base: null, cause: 'other', reason }

  it('is recorded from the first one, as long as the chain does not lead on', async () => {
    const first = testbed.publish({ documents: documents(1) })
    const since = new Date(testbed.now).toISOString()
    await recordFailure(first)
    expect(record()).toEqual({ ...failed, runId: first, count: 1, since })
    const second = testbed.publish({ documents: documents(2) })
    await recordFailure(second)
    expect(record()).toEqual({ ...failed, runId: second, count: 2, since })
    await testbed.compare()
    const third = testbed.publish({ documents: documents(3) })
    await recordFailure(third)
    expect(record()).toMatchObject({ runId: third, base: second, count: 1 })
  })

  it.each(['latest', 'unpublished'])('is recorded although %s.json is damaged', async (name) => {
    const runId = testbed.publish({ documents: documents(1) })
    testbed.overwrite(`changes/CL/${name}.json`, Buffer.from('{'))
    expect(await recordFailure(runId)).toMatchObject({ status: 'failed', base: null, runId })
    expect(record()).toMatchObject({ ...failed, runId, count: 1 })
  })

  it('is reported although it cannot be recorded', async () => {
    const runId = testbed.publish({ documents: documents(1) })
    const writeUnpublished = () => Promise.reject(new Error('Access denied.'))
    const denied = withChanges(() => ({ writeUnpublished }))
    expect(await recordFailure(runId, denied)).toMatchObject({ status: 'failed', runId })
    expect(testbed.logged('failure not recorded')).toMatchObject([{ level: 'ERROR' }])
    expect(testbed.events).toMatchObject([{ type: 'Changes Failed' }])
  })

  it('is known from one that was turned off', async () => {
    const runId = testbed.publish({ documents: documents(1) })
    testbed.changes = false
    expect(await testbed.compare()).toEqual({ status: 'off', entity: 'CL' })
    expect(record()).toEqual({ kind: 'off', runId })
  })
})

describe('the log line of a comparison', () => {
  it('counts a published set and its parts', async () => {
    await testbed.next({ documents: documents(3) })
    const { manifest } = await testbed.next({ documents: documents(2), proof: 'no-total' })
    const { parts: _parts, withheldParts: _withheldParts, ...described } = manifest
    expect(testbed.logs.at(-1)).toEqual({
      level: 'INFO',
      message: 'comparison ended',
      fields: { status: 'published', ...described, parts: 0, withheldParts: 1 },
    })
  })
})

describe('a comparison whose event cannot be sent', () => {
  const ends = [
    ['published', async () => testbed.publish({ documents: documents(1) })],
    ['refused', refusable],
  ] as const

  it.each(ends)('is %s all the same', async (status, publish) => {
    const runId = await publish()
    expect(await testbed.compare({}, failingEvents)).toMatchObject({ status })
    expect(testbed.logs).toContainEqual(eventNotSent(runId))
  })

  it.each(ends)('ends as %s only after the event was sent', async (status, publish) => {
    await publish()
    const sent = Promise.withResolvers<void>()
    const publishEvent = vi.fn<() => Promise<void>>(() => sent.promise)
    let ended = false
    const compared = testbed
      .compare({}, (context) => ({ ...context, publishEvent }))
      .finally(() => {
        ended = true
      })
    await vi.waitFor(() => expect(publishEvent).toHaveBeenCalled(), 20_000)
    await nextTurn()
    expect(ended).toBe(false)
    sent.resolve()
    expect(await compared).toMatchObject({ status })
  })

  it('has failed all the same', async () => {
    expect(await recordFailure('run-1', failingEvents)).toMatchObject({ status: 'failed' })
    expect(testbed.logs).toContainEqual(eventNotSent('run-1'))
  })
})

describe('the set that a comparison computes', () => {
  it('names its parts by what they contain', async () => {
    await testbed.next({ documents: documents(3) })
    const { manifest } = await testbed.next({ documents: ['{"id":"0"}', '{"id":"new"}'], proof: 'no-total' })
    const keyOf = (kind: string) =>
      expect.stringMatching(
        new RegExp(`^changes/CL/${manifest.runId}/${kind}-[0-9a-f]{32}\\.ndjson\\.gz$`),
      ) as string
    expect(manifest.parts).toMatchObject([{ key: keyOf('records') }])
    expect(manifest.withheldParts).toMatchObject([{ key: keyOf('withheld') }])
  })

  it('fails if other comparisons move the tip five times', async () => {
    testbed.publish({ documents: documents(3) })
    let rounds = 0
    const change = withPublisher(() => ({
      publishSet: async () => {
        rounds++
        return { kind: 'outdated' }
      },
    }))
    expect(await testbed.compare({}, change)).toMatchObject({
      status: 'failed',
      reason:
        'Other comparisons of the entity kept moving the tip. The next comparison starts from the new tip.',
    })
    expect(rounds).toBe(5)
  })
})
