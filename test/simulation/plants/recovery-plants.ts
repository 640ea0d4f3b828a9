import type { CommittedPage } from '../../../functions/state/pages/page.ts'
import { attemptOf } from '../../../functions/state/run/attempts.ts'
import type { RangeState } from '../../../functions/state/run/range.ts'
import { highestAttempt, isSuspect, planOf, type Run } from '../../../functions/state/run/run.ts'
import { rangesOf } from '../../../functions/state/run/split.ts'
import { isTolerant } from '../scenario.ts'
import type { Plant } from './plant.ts'
import { duringCleanUp, unconditionalObjects, withRanges, withState } from './planting.ts'

/** Bugs in what a run keeps from one worker, attempt or deployment to the next. */
export const recoveryPlants = {
  /** A manifest that exists is written again. */
  'manifest-overwritten': {
    breaks: 'write-once',
    command: unconditionalObjects((key) => /^snapshots\/.*\/manifest\.json$/.test(key)),
  },
  /** Crashes at different pages add up. */
  'crashes-add-up': {
    breaks: 'nothing-carried-over',
    world: withState((state) => {
      let before: readonly RangeState[] = []
      return {
        async readRun(...run) {
          const found = await state.readRun(...run)
          before = found ? rangesOf(found.split) : []
          return found
        },
        writeRun: (run) =>
          state.writeRun(
            withRanges(run, (range, index) => {
              const count = before[index]?.crashes?.count ?? 0
              return range.crashes?.count === 1 && count > 0
                ? { ...range, crashes: { ...range.crashes, count: count + 1 } }
                : range
            }),
          ),
      }
    }),
  },
  /** A new attempt begins with the retry budget that the previous one had left. */
  'budget-carried-over': {
    breaks: 'nothing-carried-over',
    world: withState((state, { scheduler }) => ({
      writeRun: (run) =>
        state.writeRun(
          withRanges(run, (range) => {
            if (range.state === 'proven' || range.attempt === 1 || range.retryState) return range
            const since = scheduler.now()
            return { ...range, retryState: { since, last: { kind: 'outage', tries: 3, since } } }
          }),
        ),
    })),
  },
  /** A worker that takes a run over forgets that a page may be missing. */
  'forget-suspect': {
    breaks: 'snapshot-complete',
    showsIn: ({ platform }) => platform.lostLastPages > 0,
    world: withState((state) => {
      let takesOver = true
      return {
        createRun(run) {
          takesOver = false
          return state.createRun(run)
        },
        writeRun(run) {
          const written = takesOver ? withRanges(run, (range) => ({ ...range, suspect: false })) : run
          takesOver = false
          return state.writeRun(written)
        },
      }
    }),
  },
  /** Without a total, an attempt that may lack a page passes. */
  'suspect-without-total': {
    breaks: 'snapshot-complete',
    showsIn: ({ platform }) => platform.total === 'missing' && platform.faults > 0,
    world: withState((state) => ({
      writeRun: (run) => state.writeRun(withRanges(run, (range) => ({ ...range, suspect: false }))),
    })),
  },
  /** The count of a suspect attempt vouches for a later one. */
  'suspect-count-vouches': {
    breaks: 'proof-true',
    showsIn: (scenario) => scenario.platform.total === 'short-by-a-page' && isTolerant(scenario),
    world: withState((state) => {
      let before: Run | undefined
      return {
        async writeRun(run) {
          const last = before
          before = run
          const isNext = last && highestAttempt(run) > highestAttempt(last) && last.split.kind !== 'ranges'
          if (!isNext || !isSuspect(last)) return state.writeRun(run)
          const ids = await uniqueIds(state.pages(attemptOf(last, 0)))
          return state.writeRun(
            withRanges(run, (range) => ({ ...range, cleanCounts: [...range.cleanCounts, ids] })),
          )
        },
      }
    }),
  },
  /** A run in progress continues with the configuration of its newer worker. */
  'new-configuration-in-mid-run': {
    breaks: 'plan-kept',
    showsIn: ({ drivers }) => drivers.upgradeAtPage !== undefined,
    world: (world) => ({
      ...world,
      state: {
        ...world.state,
        async readRun(...name) {
          const run = await world.state.readRun(...name)
          const deployed = world.settings.entities.find((entity) => entity.name === run?.entity)
          return run && deployed ? { ...run, plan: planOf(deployed, deployed.pageSize) } : run
        },
      },
    }),
  },
  /** An item with a member that a worker does not know crashes it. */
  'unknown-member-crashes': {
    breaks: 'worker-crashed',
    showsIn: ({ release }) => release === 'earlier',
    world: (world, sim) =>
      sim.scenario.release === 'earlier'
        ? world
        : withState((state) => ({
            async readRun(...name) {
              const run = await state.readRun(...name)
              if (run && 'formerly' in run) throw new TypeError('an unknown member')
              return run
            },
          }))(world, sim),
  },
  /** The clean-up takes every run for published, without reading its item. */
  'clean-up-without-runs': {
    breaks: 'late-writers-spared',
    world: duringCleanUp(() => async () => undefined),
  },
  /** The run of an entity that is not configured any more keeps its lease and its slot. */
  'unconfigured-entity-keeps-locks': {
    breaks: 'leaves-nothing',
    showsIn: ({ drivers }) => drivers.redeploy > 0.2,
    world: (world) => ({
      ...world,
      state: {
        ...world.state,
        async release(entity, runId) {
          if (world.settings.entities.some(({ name }) => name === entity))
            await world.state.release(entity, runId)
        },
      },
    }),
  },
} as const satisfies Record<string, Plant>

async function uniqueIds(pages: AsyncIterable<Pick<CommittedPage, 'fingerprints'>>): Promise<number> {
  const ids = new Set<string>()
  for await (const { fingerprints } of pages) {
    for (let at = 0; at < fingerprints.length; at += 8)
      ids.add(Buffer.from(fingerprints.subarray(at, at + 8)).toString('hex'))
  }
  return ids.size
}
