import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readRange, recordLines, requireSet } from '../../../../operator/changes/chain.ts'
import { DamagedData, failureOf } from '../../../../operator/errors.ts'
import type { ChangeSetStore } from '../../../../stored/changes/change-sets.aws.ts'
import { localSource } from './local-source.ts'

const source = localSource('b')
const set = (runId: string, base: string | null, kind = 'changes') => ({ runId, base, kind })
const reset = set('r1', null, 'reset')
const [second, third] = [set('r2', 'r1'), set('r3', 'r2')]
const storeOf = (sets: readonly object[], tip = 'r3') =>
  ({
    readLatest: async () => ({ value: { tip, sets } }),
    readManifest: async () => undefined,
  }) as unknown as ChangeSetStore
const range = (store: ChangeSetStore, since?: string) =>
  readRange(store, since, source).catch((error: unknown) => failureOf(error))

describe('the change sets since a run', () => {
  it.each<[name: string, sets: object[], since: string | undefined, expected: object]>([
    ['all of them', [reset, second, third], undefined, { since: 'r1', tip: 'r3', sets: [second, third] }],
    ['those after the run', [reset, second, third], 'r2', { since: 'r2', tip: 'r3', sets: [third] }],
    ['none after the tip', [reset, second, third], 'r3', { since: 'r3', tip: 'r3', sets: [] }],
    [
      'all of them with increments',
      [reset, second, set('r3', 'r2', 'increment')],
      undefined,
      { since: 'r1', tip: 'r3', sets: [second, set('r3', 'r2', 'increment')] },
    ],
    ['none after a reset', [set('r3', null, 'reset')], undefined, { since: 'r3', tip: 'r3', sets: [] }],
    [
      'refused if they have expired',
      [third],
      'r1',
      {
        kind: 'problem',
        message:
          'No change sets of CL start from run r1: they expired, the chain was reset, or the run has none.',
        fix: 'download the snapshot again (npx --no-install longshore --local pull CL --force), then continue from its run',
      },
    ],
  ])('are %s', async (...[, sets, since, expected]) => {
    expect(await range(storeOf(sets), since)).toEqual(expected)
  })

  it('do not exist before the first comparison', async () => {
    const store = { readLatest: async () => undefined } as unknown as ChangeSetStore
    expect(await range(store)).toEqual({
      kind: 'problem',
      message: 'CL has no change sets.',
      fix: "check that 'changes' is not false in the configuration, then run npx --no-install longshore --local sync CL --watch",
    })
  })
})

it('names a manifest that is missing, and the way back', async () => {
  expect(await requireSet(storeOf([]), 'r2', source).catch((error: unknown) => failureOf(error))).toEqual({
    kind: 'problem',
    message: 'The manifest changes/CL/r2/manifest.json is not in the bucket.',
    fix: 'download the snapshot again: npx --no-install longshore --local pull CL --force',
  })
})

it('refuses a set of a kind that a newer release wrote', async () => {
  const manifest = { entity: 'CL', runId: 'r2', kind: 'merge' }
  const store = { readManifest: async () => ({ value: manifest }) } as unknown as ChangeSetStore
  expect(await requireSet(store, 'r2', source).catch((error: unknown) => failureOf(error))).toMatchObject({
    message:
      'The change set of run r2 of CL is of the kind merge, which this release of Longshore does not know.',
  })
})

it('reads the manifest and the records of sets in order, and counts what was read', async () => {
  const objects = new Map(['a', 'b'].map((key) => [key, gzipSync(`{"n":"${key}"}\n`)]))
  const manifests = [...objects].map(([key, body]) => {
    const sha256 = createHash('sha256').update(body).digest('hex')
    const parts = [{ key, records: 1, bytes: body.length, sha256 }]
    return { entity: 'CL', runId: key, kind: 'changes', created: 0, updated: 1, deleted: 0, parts }
  }) as never[]
  const store = { readManifest: async () => ({ value: manifests[0] }) } as unknown as ChangeSetStore
  expect(await requireSet(store, 'a', source)).toBe(manifests[0])
  const done: number[] = []
  const lines = recordLines(
    manifests,
    async (key) => objects.get(key),
    (count) => done.push(count),
  )
  let text = ''
  for await (const part of lines) text += part
  expect(text).toBe('{"n":"a"}\n{"n":"b"}\n')
  expect(done).toEqual([0, 1, 2])
})

it.each([
  ['a reset with lines', { kind: 'reset', parts: [{ key: 'p', records: 1 }] }, '1 lines; the manifest has 0'],
  [
    'a set with fewer records than it counts',
    { kind: 'changes', created: 1, updated: 2, deleted: 4, parts: [{ key: 'p', records: 6 }] },
    '6 lines; the manifest has 7',
  ],
])('refuses %s before it reads a part', async (_, manifest, problem) => {
  const read = async () => expect.fail('read a part')
  const lines = recordLines([{ entity: 'CL', runId: 'r2', ...manifest } as never], read, () => undefined)
  const failure = await lines.next().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DamagedData)
  expect(String(failure)).toContain(problem)
})
