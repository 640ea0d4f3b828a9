import { beforeEach, describe, expect, it } from 'vitest'
import { ComparisonFailed } from '../../../functions/compare/failure.ts'
import { changesLatestKey, partKindOf } from '../../../stored/changes/change-keys.ts'
import { runPrefix } from '../../../stored/snapshots/manifest.ts'
import { documents, idSum } from './change-documents.ts'
import { ChangeSetTestbed, type ContextChange, withPublisher } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

describe('a comparison fails, names the object and leaves the tip', () => {
  it.each([
    ['a missing page of the base', 0, 'missing'],
    ['a damaged page of the base', 0, 'damaged'],
    ['a missing page of the snapshot', 1, 'missing'],
    ['a damaged page of the snapshot', 1, 'damaged'],
  ] as const)('because of %s', async (_, side, state) => {
    const { manifest: first } = await testbed.next({ documents: documents(8) })
    const runId = testbed.publish({ documents: documents(7) })
    const chain = testbed.chain()
    const [, key = ''] = testbed.keys(runPrefix('CL', [first.runId, runId][side] ?? ''))
    const body = testbed.s3.objects.get(key)?.body ?? Buffer.alloc(0)
    if (state === 'missing') testbed.s3.objects.delete(key)
    else testbed.overwrite(key, Buffer.from(body.map((byte, at) => (at === 20 ? byte ^ 1 : byte))))
    const reason = expect.stringContaining(`The object ${key} is ${state}`) as string
    const failed = { entity: 'CL', base: first.runId, runId, reason }
    expect(await testbed.compare()).toEqual({ status: 'failed', ...failed })
    expect(testbed.events.at(-1)).toEqual({ type: 'Changes Failed', detail: failed })
    expect(testbed.chain()).toMatchObject({ ...chain, failures: { count: 1 } })
    expect(testbed.keys(`changes/CL/${runId}/manifest`)).toEqual([])

    testbed.overwrite(key, body)
    expect(await testbed.compare()).toMatchObject({ status: 'published', base: first.runId })
  })

  it('because of a damaged part with withheld documents', async () => {
    await testbed.next({ documents: documents(8) })
    const { manifest } = await testbed.next({ documents: documents(7), proof: 'no-total' })
    const key = manifest.withheldParts[0]?.key ?? ''
    testbed.overwrite(key, Buffer.from('damaged'))
    testbed.publish({ documents: documents(8) })
    expect(await testbed.compare()).toMatchObject({ status: 'failed', reason: expect.stringContaining(key) })
  })

  it('because the base is not the state that its set led to', async () => {
    const { manifest } = await testbed.next({ documents: documents(8) })
    testbed.overwrite(
      `changes/CL/${manifest.runId}/manifest.json`,
      Buffer.from(JSON.stringify({ ...manifest, stateIdSum: idSum('another') })),
    )
    testbed.publish({ documents: documents(8) })
    expect(await testbed.compare()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('its manifest has 8 with'),
    })
  })

  it('because its time is over', async () => {
    testbed.publish({ documents: documents(8) })
    const checkTime = () => {
      throw new ComparisonFailed('too-large', 'out of time')
    }
    expect(await testbed.compare({}, (context) => ({ ...context, checkTime }))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('out of time'),
    })
    expect(await testbed.compare()).toMatchObject({ status: 'published' })
  })

  it('because its time is over while it reads what a person reviewed', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
    let lastRead = ''
    const change: ContextChange = ({ changes, ...context }) => ({
      ...context,
      changes: {
        ...changes,
        readObject(key) {
          lastRead = key
          return changes.readObject(key)
        },
      },
      checkTime() {
        if (partKindOf(lastRead) === 'reviewed') throw new ComparisonFailed('too-large', 'out of time')
      },
    })
    const acceptance = { reviewed: 'set', runId, by: 'alice' } as const
    expect(await testbed.compare({ runId, acceptance }, change)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('out of time'),
    })
  })
})

it('a comparison that no longer waits for the check of its set asks how it ended', async () => {
  const runId = testbed.publish({ documents: documents(3) })
  const asked: object[] = []
  const results = [{ kind: 'checking' }, { kind: 'damaged', reason: 'It is wrong.' }] as const
  const change = withPublisher(() => ({
    publishSet: async (request) => results[asked.push(request) - 1] ?? results[1],
  }))
  expect(await testbed.compare({}, change)).toMatchObject({ status: 'failed', reason: 'It is wrong.' })
  const key = expect.stringContaining('/proposal-') as string
  expect(asked).toEqual([
    { entity: 'CL', runId, proposal: key },
    { entity: 'CL', runId, proposed: { key, at: testbed.now } },
  ])
})

describe('a comparison that is repeated', () => {
  it('has no effect once the set is published', async () => {
    await testbed.next({ documents: documents(3) })
    const { manifest } = await testbed.next({ documents: documents(4) })
    const objects = new Map(testbed.s3.objects)
    expect(await testbed.compare()).toEqual({ status: 'up-to-date', entity: 'CL', tip: manifest.runId })
    expect(testbed.s3.objects).toEqual(objects)
  })

  it('covers publications that were not compared', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(3) })
    testbed.publish({ documents: documents(4) })
    const { manifest } = await testbed.next({ documents: documents(5) })
    expect(manifest).toMatchObject({ base: first.runId, created: 2 })
  })
})

describe('a comparison that is overtaken by another one', () => {
  /** Lets something happen before the comparison moves the tip. */
  const beforeTheTipMoves =
    (happens: () => Promise<unknown>): ContextChange =>
    (context) => {
      let remaining = 1
      return withPublisher(({ publishSet }) => ({
        publishSet: async (request) => {
          if (remaining-- > 0) await happens()
          return publishSet(request)
        },
      }))(context)
    }

  it('does not move the tip back', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(3) })
    testbed.publish({ documents: documents(4) })
    let newest = ''
    const overtake = async () => {
      newest = (await testbed.next({ documents: documents(6) })).manifest.runId
    }
    const result = await testbed.compare({}, beforeTheTipMoves(overtake))
    expect(result).toEqual({ status: 'up-to-date', entity: 'CL', tip: newest })
    expect(testbed.set(newest).manifest).toMatchObject({ base: first.runId, created: 3 })
    expect(testbed.chain()?.sets.map(({ runId }) => runId)).toEqual([first.runId, newest])
  })

  /** Publishes a snapshot whose comparison writes its manifest and crashes before it moves the tip. */
  async function leaveManifest(count: number): Promise<string> {
    const runId = testbed.publish({ documents: documents(count) })
    testbed.failWrite(changesLatestKey('CL'))
    await testbed.compare().catch(() => undefined)
    return runId
  }

  it('replaces the manifest that it wrote from a tip that has moved since', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(3) })
    const middle = testbed.publish({ documents: documents(4) })
    let last = ''
    const overtake = async () => {
      last = await leaveManifest(6)
    }
    await testbed.compare({}, beforeTheTipMoves(overtake))
    expect(testbed.chain()?.tip).toBe(middle)
    expect(testbed.set(last).manifest.base).toBe(first.runId)

    expect(await testbed.compare()).toMatchObject({ status: 'published' })
    expect(testbed.set(last).manifest).toMatchObject({ base: middle, created: 2 })
    expect(testbed.chain()?.tip).toBe(last)
  })

  it('continues a chain that has begun since it prepared a first set', async () => {
    const first = testbed.publish({ documents: documents(3) })
    let last = ''
    const overtake = async () => {
      last = await leaveManifest(5)
    }
    await testbed.compare({}, beforeTheTipMoves(overtake))
    expect(testbed.chain()?.tip).toBe(first)
    expect(testbed.set(last).manifest.kind).toBe('reset')

    expect(await testbed.compare()).toMatchObject({ status: 'published' })
    expect(testbed.set(last).manifest).toMatchObject({ kind: 'changes', base: first, created: 2 })
  })
})
