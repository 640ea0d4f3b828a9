import { describe, expect, it } from 'vitest'
import { chainSnapshotRun } from '../../../../stored/changes/chain-facts.ts'
import {
  extendByIncrement,
  extendChain,
  moveWindow,
  withFailure,
} from '../../../../stored/changes/chain-moves.ts'
import { keepsFailing } from '../../../../stored/changes/change-chain.ts'
import type { FullSetManifest, IncrementManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest, FullSetSummary } from '../../../../stored/changes/changes-latest.ts'
import { setsSince } from '../../../../stored/changes/sets-since.ts'
import { expiredObjects } from '../../../../stored/inventory/set-reasons.ts'

const now = Date.UTC(2026, 2, 31)
const retention = { keepDays: 30, now, tipSet: undefined }
/** The id of a run that starts at this time. */
const runAt = (time: string) => `${time.replaceAll(/[-:.]/g, '')}-0123456789ab`
const old = runAt('2026-02-28T23:59:59.999Z')
const kept = runAt('2026-03-01T00:00:00.000Z')
const newer = runAt('2026-03-20T00:00:00.000Z')
const newest = runAt('2026-03-30T00:00:00.000Z')

const counts = { created: 1, updated: 2, deleted: 3 }
const changes = (runId: string, base: string): FullSetSummary => ({
  runId,
  base,
  kind: 'changes',
  ...counts,
  manifest: `changes/CL/${runId}/manifest.json`,
})
const reset = (runId: string): FullSetSummary => ({
  runId,
  base: null,
  kind: 'reset',
  created: 0,
  updated: 0,
  deleted: 0,
  manifest: `changes/CL/${runId}/manifest.json`,
})
const manifestOf = ({ runId, base, kind }: FullSetSummary) =>
  ({ entity: 'CL', runId, base, kind, ...(kind === 'changes' && counts) }) as unknown as FullSetManifest
const calm = { announced: false, reset: null, failures: null }
const chain: ChangesLatest = {
  tip: newer,
  sets: [reset(old), changes(kept, old), changes(newer, kept)],
  announced: true,
  reset: 'Change sets were turned off.',
  failures: { count: 1, first: '2026-01-01T00:00:00.000Z', last: '2026-01-01T00:00:00.000Z' },
}

describe('the chain with one more set', () => {
  it('ends at that set, and has the sets of the last keepDays days', () => {
    const next = changes(newest, newer)
    const sets = [changes(kept, old), changes(newer, kept), next]
    expect(extendChain(chain, manifestOf(next), retention)).toEqual({ tip: newest, sets, ...calm })
  })

  it('has only that set if it is a reset', () => {
    const next = reset(newest)
    expect(extendChain(chain, manifestOf(next), retention)).toEqual({ tip: newest, sets: [next], ...calm })
  })

  it('has only that set if all are too old, as after an acceptance weeks later', () => {
    const before = runAt('2026-01-01T00:00:00.000Z')
    const late = { ...chain, tip: before, sets: [reset(before)] }
    const next = changes(old, before)
    expect(extendChain(late, manifestOf(next), retention).sets).toEqual([next])
  })

  it('remembers of what increments had delivered what the set has left of it', () => {
    const left = { ...delivered, key: 'left' }
    const manifest = { ...manifestOf(changes(newest, newer)), delivered: left } as FullSetManifest
    const next = extendChain({ ...chain, delivered }, manifest, retention)
    expect(next).toMatchObject({ delivered: left, deliveredBefore: left })
  })

  it('begins with the first set of an entity', () => {
    const next = changes(newest, newer)
    expect(extendChain(undefined, manifestOf(next), retention).sets).toEqual([next])
  })
})

const snapshot = {
  runId: newer,
  openedAt: '2026-03-20T00:00:00.000Z',
  query: {},
  idField: 'id',
  ignore: [],
  uniqueIds: 10,
}
const window = {
  snapshot: newer,
  coveredFrom: '2026-03-19T23:00:00Z',
  from: '2026-03-19T23:00:00Z',
  to: '2026-03-30T00:00:00Z',
}
const delivered = { key: 'delivered', versions: 1, bytes: 1, sha256: 'a' }
const ended = { snapshot, window, ...retention }
const increment = { kind: 'increment', records: 4 }
const incrementOf = (runId: string, base: string) => {
  const { from, to } = window
  return { entity: 'CL', runId, base, ...increment, from, to, delivered } as unknown as IncrementManifest
}

describe('the chain after an increment', () => {
  const comparing = { runId: 'other', until: '2026-01-01T00:00:00.000Z' }

  it('has its set as the tip, and keeps what is known of comparisons from its snapshot', () => {
    const manifest = incrementOf(newest, newer)
    const next = extendByIncrement({ ...chain, comparing }, manifest, ended)
    const set = { runId: newest, base: newer, ...increment, manifest: `changes/CL/${newest}/manifest.json` }
    const sets = [changes(kept, old), changes(newer, kept), set]
    expect(next).toEqual({ ...chain, tip: newest, sets, announced: false, snapshot, window, delivered })
    expect(chainSnapshotRun(next)).toBe(newer)
  })

  it('has only another window without records', () => {
    expect(moveWindow({ ...chain, comparing }, { snapshot, window })).toEqual({ ...chain, snapshot, window })
  })

  it('lists the newest 300 sets, and all of them without increments', () => {
    const runs = Array.from({ length: 301 }, (_, i) => runAt(new Date(now - (301 - i) * 1000).toISOString()))
    const sets = runs.map((runId, at) => changes(runId, runs[at - 1] ?? old))
    const long = { ...chain, tip: runs.at(-1) ?? '', sets }
    const runId = runAt(new Date(now).toISOString())
    const listed = extendByIncrement(long, incrementOf(runId, long.tip), ended).sets
    expect(listed).toHaveLength(300)
    expect(listed.at(-1)?.runId).toBe(runId)
    expect(extendChain(long, manifestOf(changes(runId, long.tip)), retention).sets).toHaveLength(302)
  })

  it('keeps the set of a run that was accepted after a newer set, although its id is old', () => {
    const late = { ...chain, sets: [changes(newer, kept), changes(old, newer)], tip: old }
    const next = extendByIncrement(late, incrementOf(newest, old), ended)
    expect(next.sets.map(({ runId }) => runId)).toEqual([newer, old, newest])
  })

  it('keeps the window and the delivered versions over a full set, and only the window over a reset', () => {
    const incremental = extendByIncrement(chain, incrementOf(newest, newer), ended)
    const full = extendChain(incremental, manifestOf(changes(newest, newer)), { ...retention, snapshot })
    expect(full).toMatchObject({ snapshot, window, delivered })
    const restarted = extendChain(incremental, manifestOf(reset(newest)), retention)
    expect(restarted).toMatchObject({ window })
    expect(restarted).not.toHaveProperty('delivered')
  })
})

describe('the sets since a run', () => {
  it('are those from the set that has it as base, up to the tip', () => {
    expect(setsSince(chain, old)).toEqual(chain.sets.slice(1))
    expect(setsSince(chain, kept)).toEqual(chain.sets.slice(2))
    expect(setsSince(chain, newer)).toEqual([])
    expect(setsSince({ ...chain, sets: chain.sets.slice(1) }, old)).toEqual(chain.sets.slice(1))
  })

  it('are unknown if no set has it as base', () => expect(setsSince(chain, newest)).toBeUndefined())
})

describe('the objects that have expired', () => {
  const expiredOf = (names: readonly string[], tip = newest, comparing?: ChangesLatest['comparing']) => {
    const keys = names.map((name) => `changes/CL/${name}`)
    const listed = { tip, sets: [changes(tip, newer)], ...calm, ...(comparing && { comparing }) }
    return expiredObjects('CL', keys, { ...retention, chain: listed })
  }

  it('are those of runs that began more than keepDays days and one day ago', () => {
    const last = runAt('2026-02-27T23:59:59.999Z')
    const first = runAt('2026-02-28T00:00:00.000Z')
    expect(expiredOf([`${last}/part`, `${first}/part`, `${newer}/part`])).toEqual([`changes/CL/${last}/part`])
  })

  const older = runAt('2026-01-02T00:00:00.000Z')

  it('are not those of the tip or of a run after it, however old they are', () => {
    const tip = runAt('2026-01-01T00:00:00.000Z')
    expect(expiredOf([`${tip}/part`, `${older}/part`], tip)).toEqual([])
  })

  it('are not those of a run that was accepted late and is compared, however old it is', () => {
    expect(expiredOf([`${older}/part`], newest, { runId: older, until: '2026-03-31T00:15:00Z' })).toEqual([])
  })

  it('are not those of a set that is listed', () => {
    const keys = [`changes/CL/${older}/part`]
    const listed = { tip: newest, sets: [changes(older, old), changes(newest, older)], ...calm }
    expect(expiredObjects('CL', keys, { ...retention, chain: listed })).toEqual([])
  })

  it('are not those with what increments delivered, which the next comparison needs', () => {
    const [own, before] = ['own', 'before'].map((name) => `changes/CL/${older}/delivered-${name}`)
    const key = (name: string | undefined) => ({ ...delivered, key: name ?? '' })
    const incremental = { ...chain, tip: newest, delivered: key(own), deliveredBefore: key(before) }
    const keys = [own ?? '', before ?? '', `changes/CL/${older}/delivered-by-another`]
    expect(expiredObjects('CL', keys, { ...retention, chain: incremental })).toEqual(keys.slice(2))
  })

  it('are only objects of runs', () => {
    expect(expiredOf(['', 'latest.json', older])).toEqual([])
    expect(expiredOf([`${older}/manifest.json`])).toHaveLength(1)
  })
})

describe('a chain whose comparisons fail', () => {
  const failedAt = (hours: readonly number[]) =>
    hours.reduce<ChangesLatest>(
      (failing, hour) =>
        withFailure(failing, { reason: `At ${hour}.`, kind: 'damaged', now: now + hour * 3_600_000 }),
      { ...chain, failures: null },
    )

  it.each([
    [[0, 24], false],
    [[0, 1, 23], false],
    [[0, 1, 24], true],
    [[0, 23, 46], true],
  ])('starts again after three failures in at least a day: after failures at %j it is %s', (hours, again) => {
    expect(keepsFailing(failedAt(hours))).toBe(again)
  })

  it('remembers when its comparisons began to fail, and why the last one did', () => {
    expect(failedAt([0, 1, 2]).failures).toEqual({
      count: 3,
      first: '2026-03-31T00:00:00.000Z',
      last: '2026-03-31T02:00:00.000Z',
      reason: 'At 2.',
      kind: 'damaged',
    })
  })
})
