import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { onScroll, type Rule } from '../../../local/platform/faults.ts'
import { killFunction } from '../../processes.ts'
import { type Check, eventually } from '../check.ts'
import { executionEnd, findWorker, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot } from '../snapshot-proof.ts'
import type { World } from '../world.ts'

/** The scroll and the page of it that the worker waits for when it dies. */
interface Death {
  readonly scroll: number
  readonly page: number
  /** Whether the platform has moved its cursor, so that the page is lost with the worker. */
  readonly moved: boolean
}

/** At the first request, in mid-scroll with and without a loss, and in the scroll that makes it good. */
const crashes: readonly Death[] = [
  { scroll: 1, page: 1, moved: true },
  { scroll: 2, page: 4, moved: false },
  { scroll: 2, page: 9, moved: true },
  { scroll: 2, page: 21, moved: true },
  { scroll: 3, page: 12, moved: false },
]

export const crashChecks: Check[] = [
  {
    name: `a sync outlives ${crashes.length} crashes of its worker in mid-scroll, and publishes a proven snapshot`,
    async run(world) {
      const { faults, requests } = world.platform
      for (const { scroll, page, moved } of crashes) {
        const fault: Rule['fault'] = { kind: 'hang', effect: moved ? 'after' : 'before' }
        faults.add({ match: onScroll({ entity: 'Crashing', scroll, page }), fault })
      }
      const executionArn = await startExecution(world, { entity: 'Crashing' })
      for (const { scroll, page } of crashes) {
        await eventually(
          `page ${page} of scroll ${scroll} is asked for`,
          () =>
            requests.some(
              ({ name, fault, scroll: place }) =>
                name === 'Crashing' && fault === 'hang' && place?.scroll === scroll && place.page === page,
            ) || undefined,
        )
        // Time to store the page before, or some of it.
        await sleep(100)
        await killWorkers(world)
      }
      const end = await executionEnd(world, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { status, runId = '' } = outputOf(end)
      assert.equal(status, 'published')
      const { manifest } = await assertWholeSnapshot(world, 'Crashing', runId)
      assert.equal(
        manifest.attempts,
        2,
        'the attempt that lost pages was not believed, the one that lost none was',
      )
    },
  },
]

/** A scheduled sync may lose its worker too. */
async function killWorkers(world: World): Promise<void> {
  const { name } = await findWorker(world)
  assert.ok((await killFunction(world.emulator.pid, name)) > 0, 'the emulator has no process of the worker')
}
