import { describe, expect, it } from 'vitest'
import { checkKey } from '../../../../functions/publisher/check/entries.ts'
import { placesOf } from '../../../../operator/retention/places.ts'
import type { PartKind } from '../../../../stored/changes/change-keys.ts'
import { partKey, refusedChangesKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import type { RefusedChanges, SetManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest, SetSummary } from '../../../../stored/changes/changes-latest.ts'
import { planRemoval } from '../../../../stored/inventory/removal.ts'
import type { StoredEntity } from '../../../../stored/inventory/stored-entity.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { evidenceKey, manifestKey, pageKey, runPrefix } from '../../../../stored/snapshots/manifest.ts'
import { dataFileKey, manifestFileKey, metadataKey } from '../../../../stored/tables/table.ts'

const entity = 'CL'
const run = (day: number) => `2026030${day}T060000000Z-0123456789ab`
const part = (day: number, kind: PartKind, name = '') => ({
  key: partKey({ entity, runId: run(day) }, kind, `${kind}${name}`.padEnd(32, '0')),
  records: 1,
  bytes: 1,
  sha256: '',
})
const page = (day: number, attempt = 1) => pageKey({ entity, runId: run(day), attempt }, 1, 'x')

const snapshot = (day: number) =>
  [
    run(day),
    {
      kind: 'snapshot',
      manifest: { entity, runId: run(day), pages: [{ key: page(day) }] } as unknown as Manifest,
    },
  ] as const

const set = (day: number, kind: SetManifest['kind'], more: object = {}) =>
  [
    run(day),
    {
      entity,
      runId: run(day),
      kind,
      parts: [],
      withheldParts: [],
      incrementParts: [],
      ...more,
    } as unknown as SetManifest,
  ] as const

/** Snapshots of days 1 to 3, of which 3 is published, with a change set each. An increment of day 4 follows. */
function stored(change: Partial<StoredEntity> = {}, chain: Partial<ChangesLatest> = {}): StoredEntity {
  const delivered = { key: part(4, 'delivered').key, versions: 1, bytes: 1, sha256: '' }
  const sets = new Map([
    set(1, 'reset'),
    set(2, 'changes', { parts: [part(2, 'records')] }),
    set(3, 'changes', { parts: [part(3, 'records')], withheldParts: [part(3, 'withheld')] }),
    set(4, 'increment', {
      parts: [part(4, 'records')],
      withheldParts: [part(3, 'withheld')],
      incrementParts: [part(4, 'records')],
      delivered,
    }),
  ])
  const keys = [
    ...[1, 2, 3].flatMap((day) => [
      manifestKey(entity, run(day)),
      page(day),
      dataFileKey(entity, run(day), 'f'),
    ]),
    ...[...sets.values()].flatMap(({ runId, parts }) => [
      setManifestKey(entity, runId),
      ...parts.map(({ key }) => key),
    ]),
    part(3, 'withheld').key,
    delivered.key,
  ]
  const latest: ChangesLatest = {
    tip: run(4),
    sets: [...sets.values()].map(({ runId, kind }) => ({ runId, kind }) as SetSummary),
    announced: true,
    reset: null,
    failures: null,
    snapshot: { runId: run(3) } as ChangesLatest['snapshot'] & object,
    delivered,
    deliveredBefore: delivered,
    ...chain,
  }
  return {
    entity,
    versions: keys.map(version),
    latest: { runId: run(3), manifest: '', publishedAt: '', documents: 1 },
    snapshots: new Map([snapshot(1), snapshot(2), snapshot(3)]),
    chain: { value: latest, etag: '' },
    sets,
    refusedSets: new Map(),
    tableMetadata: undefined,
    ...change,
  }
}

const version = (key: string) => ({ key, versionId: 'v1', isLatest: true, writtenAt: 0 })

/** The keys that go if these objects contain the documents. */
function plan(found: readonly string[], state = stored()) {
  const versions = found.map(version)
  const removal = planRemoval({ ...state, versions: [...state.versions, ...versions] }, versions)
  const all = [...new Set([...state.versions.map(({ key }) => key), ...found])]
  const { chain } = removal
  return {
    goes: all.filter((key) => removal.mustGo(version(key))),
    chain: chain.kind,
    sets: chain.kind === 'unchanged' ? undefined : chain.chain.sets.map(({ runId }) => runId),
    removal,
  }
}

describe('what goes with a document', () => {
  it('is nothing where nothing contains it', () => {
    expect(plan([])).toMatchObject({ goes: [], chain: 'unchanged' })
  })

  it('is the whole snapshot with its table files, and the chain that starts from it is reset', () => {
    expect(plan([page(1)])).toMatchObject({
      goes: [manifestKey(entity, run(1)), page(1), dataFileKey(entity, run(1), 'f')],
      chain: 'unchanged',
    })
    const behind = stored({}, { snapshot: { runId: run(2) } as ChangesLatest['snapshot'] & object })
    expect(plan([page(2)], behind)).toMatchObject({ chain: 'reset' })
  })

  it('is only the page of another attempt, not the snapshot of its run', () => {
    expect(plan([page(3, 2), page(2, 2)]).goes).toEqual([page(3, 2), page(2, 2)])
  })

  it('includes the evidence of a snapshot, and the hashes of ids that were stored of each of its attempts', () => {
    const check = (day: number, name: string) => checkKey(runPrefix(entity, run(day)), name, 1)
    const keys = [1, 3, 6].flatMap((day) => [
      evidenceKey(entity, run(day)),
      ...['a1', 'a2', 'listed'].map((name) => check(day, name)),
    ])
    const state = stored()
    const goesWith = (found: string) => {
      const versions = [...state.versions, ...keys.map(version)]
      return plan([found], { ...state, versions }).goes.filter((key) => keys.includes(key))
    }
    expect(goesWith(page(1))).toEqual(keys.slice(0, 4))
    expect(goesWith(page(3, 2))).toEqual([check(3, 'a2')])
    expect(goesWith(page(6))).toEqual([check(6, 'a1'), check(6, 'a2'), check(6, 'listed')])
  })

  it('is each set up to the last one that contains it', () => {
    const { goes, chain, sets } = plan([part(2, 'records').key])
    expect(goes).toEqual([setManifestKey(entity, run(2)), part(2, 'records').key])
    expect({ chain, sets }).toEqual({ chain: 'shortened', sets: [run(3), run(4)] })
  })

  it('leaves what the next comparison needs of the tip', () => {
    const state = stored({}, { tip: run(3), sets: [{ runId: run(3), kind: 'changes' } as SetSummary] })
    expect(plan([part(3, 'records').key], state)).toMatchObject({
      goes: [part(3, 'records').key],
      chain: 'shortened',
      sets: [],
    })
  })

  const set3 = [setManifestKey(entity, run(3)), part(3, 'records').key, part(3, 'withheld').key]
  const set4 = [setManifestKey(entity, run(4)), part(4, 'records').key]

  it.each([
    ['withheld documents', part(3, 'withheld').key, [...set3, ...set4]],
    // What it repeats of the set before belongs to that set.
    ['increments', part(4, 'records').key, set4],
    ['delivered versions', part(4, 'delivered').key, [part(4, 'delivered').key]],
  ])('is the state of the chain if its %s contain it', (_, key, expected) => {
    const { goes, chain, removal } = plan([key])
    expect(goes.toSorted()).toEqual(expected.toSorted())
    expect(chain).toBe('reset')
    expect(removal.chain).toMatchObject({
      chain: { erased: true, reset: 'Documents of its state were erased by an operator.' },
    })
    expect(removal.chain).not.toHaveProperty('chain.delivered')
    expect(removal.chain).not.toHaveProperty('chain.deliveredBefore')
  })

  it('leaves a chain as it is that starts again already', () => {
    const key = part(4, 'delivered').key
    const erased = stored({}, { erased: true, reset: 'Why.' })
    expect(plan([key], erased)).toMatchObject({ goes: [key], chain: 'unchanged' })
  })

  it('is the refusal of a change set whose deletes name it', () => {
    const refused = { runId: run(3), reviewedParts: [part(3, 'reviewed')] } as unknown as RefusedChanges
    const keys = [refusedChangesKey(entity, run(3)), part(3, 'reviewed').key]
    const state = stored({ refusedSets: new Map([[run(3), refused]]) })
    expect(
      plan([part(3, 'reviewed').key], { ...state, versions: [...state.versions, ...keys.map(version)] }),
    ).toMatchObject({ goes: keys, chain: 'unchanged' })
  })

  it('is each table file of a run whose snapshot nobody can search, but not the current metadata', () => {
    const files = [dataFileKey(entity, run(7), 'f'), manifestFileKey(entity, run(7), 'f')]
    const current = metadataKey(entity, { version: 1, runId: run(7), unique: 'u' })
    const state = stored({ tableMetadata: current })
    const versions = [...state.versions, ...[...files, current].map(version)]
    expect(plan([], { ...state, versions }).goes).toEqual(files)
  })
})

it('the places of a document name their kind and run, with what cannot be read', () => {
  const state = stored()
  const [found, unreadable] = [[version(page(1))], [version(part(2, 'records').key)]]
  const versions = state.versions.map(
    (one) => [...found, ...unreadable].find(({ key }) => key === one.key) ?? one,
  )
  const whole = { ...state, versions }
  const places = placesOf(whole, planRemoval(whole, [...found, ...unreadable]), { found, unreadable })
  expect(places).toEqual([
    { kind: 'snapshot', runId: run(1), found: 1, unreadable: 0, versions: 2 },
    { kind: 'change set', runId: run(2), found: 0, unreadable: 1, versions: 2 },
    { kind: 'table', runId: run(1), found: 0, unreadable: 0, versions: 1 },
  ])
})
