import { beforeEach, describe, expect, it } from 'vitest'
import { runPrefix } from '../../../stored/snapshots/manifest.ts'
import { documents, idSum } from './change-documents.ts'
import { ChangeSetTestbed, withPublisher } from './change-set-testbed.ts'

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
