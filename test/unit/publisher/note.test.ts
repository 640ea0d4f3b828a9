import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, changesTableKey } from '../../../stored/changes/change-keys.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { Note } from '../../../stored/changes/publication.ts'
import { inProcessPublisher } from '../../in-process-publisher.ts'
import { ChangeSetTestbed } from '../compare/change-set-testbed.ts'

const at = '2026-01-04T00:00:00.000Z'
const comparing = { runId: 'r', until: '2026-01-04T00:16:00.000Z' }
const failed = { kind: 'failed', reason: 'Why.', cause: 'damaged' } as const
const failures = { count: 1, first: at, last: at, reason: 'Why.', kind: 'damaged' } as const
let testbed: ChangeSetTestbed
let chain: ChangesLatest
let first: string

beforeEach(async () => {
  testbed = new ChangeSetTestbed()
  const [run = ''] = await testbed.publishSets(1, 2, 3)
  first = run
  chain = testbed.chain() as ChangesLatest
})

const write = (change: object) =>
  testbed.overwrite(changesLatestKey('CL'), Buffer.from(JSON.stringify({ ...chain, ...change })))

function note(asked: Note, tip = chain.tip) {
  const { s3, dynamodb: table } = testbed
  const publisher = inProcessPublisher({ table, bucket: 'bucket', s3, now: () => Date.parse(at) })
  return publisher.note({ entity: 'CL', tip, note: asked })
}

describe('a note changes only its own member', () => {
  it.each<[string, Note, before: Partial<ChangesLatest>, after: Partial<ChangesLatest>]>([
    ['a comparison began', { kind: 'comparing', runId: 'r' }, {}, { comparing }],
    ['it ended', { kind: 'compared', runId: 'r' }, { comparing }, {}],
    ['another one ended', { kind: 'compared', runId: 'r0' }, { comparing }, { comparing }],
    ['it failed', failed, { comparing }, { failures }],
    ['it failed again', failed, { failures }, { failures: { ...failures, count: 2 } }],
    ['the event was sent', { kind: 'announced' }, { announced: false }, { announced: true }],
    ['the chain starts again', { kind: 'reset', reason: 'Why.' }, {}, { reset: 'Why.' }],
    ['it does so already', { kind: 'reset', reason: 'Why.' }, { reset: 'First.' }, { reset: 'First.' }],
  ])('%s', async (...[, asked, before, after]) => {
    write(before)
    expect(await note(asked)).toEqual({ kind: 'noted' })
    expect(testbed.chain()).toEqual({ ...chain, ...after })
  })

  it('and nothing if another set has become the tip', async () => {
    expect(await note({ kind: 'reset', reason: 'Why.' }, first)).toEqual({ kind: 'outdated' })
    testbed.s3.objects.delete(changesLatestKey('CL'))
    expect(await note({ kind: 'announced' })).toEqual({ kind: 'outdated' })
    expect(testbed.chain()).toBeUndefined()
  })

  it('and nothing if the chain is deleted at the same time', async () => {
    testbed.s3.beforePut(changesLatestKey('CL'), () => testbed.s3.objects.delete(changesLatestKey('CL')))
    expect(await note({ kind: 'reset', reason: 'Why.' })).toEqual({ kind: 'outdated' })
  })

  it('and throws for a new beginning without a reason', async () => {
    await expect(note({ kind: 'reset', reason: '' })).rejects.toThrow('needs a reason')
    expect(testbed.chain()).toEqual(chain)
  })

  it('although something else changes the chain at the same time', async () => {
    testbed.s3.beforePut(changesLatestKey('CL'), () => write({ comparing }))
    await note({ kind: 'reset', reason: 'Why.' })
    expect(testbed.chain()).toEqual({ ...chain, comparing, reset: 'Why.' })
  })
})

it.each<[string, through: string | null, sets: number, reason: string | null]>([
  ['loses its oldest sets', 'the second', 1, null],
  ['keeps its sets without such a set', 'of another chain', 3, null],
  ['starts again, and nobody can begin at its tip', null, 3, 'It was erased.'],
])('a chain that is shortened %s', async (...[, through, sets, reason]) => {
  const known = through === 'the second' ? (chain.sets[1]?.runId ?? '') : through
  await note({ kind: 'shortened', through: known, reason })
  const erased = reason === null ? {} : { reset: reason, erased: true }
  expect(testbed.chain()).toEqual({ ...chain, sets: chain.sets.slice(3 - sets), ...erased })
  const parts = chain.sets.slice(3 - sets).flatMap(({ runId }) => testbed.set(runId).manifest.parts)
  const list =
    sets === 3 ? testbed.text(changesTableKey('CL')) : parts.map(({ key }) => `s3://bucket/${key}\n`)
  expect(testbed.text(changesTableKey('CL'))).toBe([list].flat().join(''))
})
