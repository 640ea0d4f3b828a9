import type { CommittedPage } from '../../../functions/state/pages/page.ts'
import type { Crashes, Run } from '../../../functions/state/run/run.ts'
import { isTolerant } from '../scenario.ts'
import type { Plant } from './plant.ts'
import { unconditional, withState } from './planting.ts'

/** Bugs in what a run keeps from one worker, attempt or deployment to the next. */
export const recoveryPlants = {
  /** A manifest that exists is written again. */
  'manifest-overwritten': {
    breaks: 'write-once',
    command: unconditional((input) => /^snapshots\/.*\/manifest\.json$/.test(keyOf(input))),
  },
  /** Crashes at different pages add up. */
  'crashes-add-up': {
    breaks: 'nothing-carried-over',
    world: withState((state) => {
      let crashes: Crashes | undefined
      return {
        async readRun(...run) {
          const found = await state.readRun(...run)
          crashes = found?.crashes
          return found
        },
        writeRun(run) {
          const before = crashes?.count ?? 0
          if (run.crashes?.count !== 1 || before === 0) return state.writeRun(run)
          return state.writeRun(Object.assign(run, { crashes: { ...run.crashes, count: before + 1 } }))
        },
      }
    }),
  },
  /** A new attempt begins with the retry budget that the one before had left. */
  'budget-carried-over': {
    breaks: 'nothing-carried-over',
    world: withState((state, { scheduler }) => ({
      writeRun: (run) =>
        state.writeRun(
          run.attempt > 1 && !run.retryState
            ? Object.assign(run, {
                retryState: {
                  since: scheduler.now(),
                  last: { kind: 'outage', tries: 3, since: scheduler.now() },
                },
              })
            : run,
        ),
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
          before = { ...run }
          if (!last?.suspect || run.attempt === last.attempt) return state.writeRun(run)
          const ids = await uniqueIds(state.pages(last))
          return state.writeRun(Object.assign(run, { cleanCounts: [...run.cleanCounts, ids] }))
        },
      }
    }),
  },
  /** The manifest of an abandoned run states the query of the worker that publishes it. */
  'abandoned-run-gets-new-query': {
    breaks: 'proof-true',
    showsIn: ({ drivers }) => drivers.redeploy > 0,
    world(world) {
      let own: string | undefined
      const deployed = (name: string) => world.settings.entities.find((entity) => entity.name === name)
      return {
        ...world,
        state: {
          ...world.state,
          claimLease(entity, seen, lease) {
            own = lease.lease.runId
            return world.state.claimLease(entity, seen, lease)
          },
        },
        snapshots: {
          ...world.snapshots,
          putManifest: (manifest) =>
            world.snapshots.putManifest(
              manifest.runId === own
                ? manifest
                : { ...manifest, query: deployed(manifest.entity)?.query ?? {} },
            ),
        },
      }
    },
  },
  /** The clean-up takes every run for published, without reading its item. */
  'clean-up-without-runs': {
    breaks: 'late-writers-spared',
    world(world) {
      let isCleaning = false
      return {
        ...world,
        state: {
          ...world.state,
          readRun: async (...run) => (isCleaning ? undefined : world.state.readRun(...run)),
        },
        snapshots: {
          ...world.snapshots,
          async *listKeys(prefix) {
            isCleaning = true
            yield* world.snapshots.listKeys(prefix)
          },
          readTip(entity) {
            isCleaning = false
            return world.snapshots.readTip(entity)
          },
          deleteKeys(keys) {
            isCleaning = false
            return world.snapshots.deleteKeys(keys)
          },
        },
      }
    },
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

const keyOf = (input: object) => String((input as { Key?: unknown }).Key)

async function uniqueIds(pages: AsyncIterable<Pick<CommittedPage, 'fingerprints'>>): Promise<number> {
  const ids = new Set<string>()
  for await (const { fingerprints } of pages) {
    for (let at = 0; at < fingerprints.length; at += 8)
      ids.add(Buffer.from(fingerprints.subarray(at, at + 8)).toString('hex'))
  }
  return ids.size
}
