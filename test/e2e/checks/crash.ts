import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultRule, onScroll } from '../../../local/stand-in/faults.ts'
import { type Check, eventually } from '../check.ts'
import { executionEnd, killWorkers, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot } from '../snapshot-proof.ts'

/** The scroll and the page that the worker waits for when it is killed. */
interface Death {
  readonly scroll: number
  readonly page: number
  /** Whether the platform has moved its cursor, so that the page is lost. */
  readonly moved: boolean
}

/** At the first request, during the scroll with and without a loss, and in the attempt that follows. */
const crashes: readonly Death[] = [
  { scroll: 1, page: 1, moved: true },
  { scroll: 2, page: 4, moved: false },
  { scroll: 2, page: 9, moved: true },
  { scroll: 2, page: 21, moved: true },
  { scroll: 3, page: 12, moved: false },
]

export const crashChecks: Check[] = [
  {
    name: `a sync survives ${crashes.length} crashes of its worker during the scroll and publishes a proven snapshot`,
    async run(context) {
      const { faults, requests } = context.platform
      for (const { scroll, page, moved } of crashes) {
        const fault: FaultRule['fault'] = { kind: 'hang', effect: moved ? 'after' : 'before' }
        faults.add({ match: onScroll({ entity: 'Crashing', scroll, page }), fault })
      }
      const executionArn = await startExecution(context, { entity: 'Crashing' })
      for (const { scroll, page } of crashes) {
        await eventually(
          `page ${page} of scroll ${scroll} is asked for`,
          () =>
            requests.some(
              ({ name, fault, scroll: place }) =>
                name === 'Crashing' && fault === 'hang' && place?.scroll === scroll && place.page === page,
            ) || undefined,
        )
        // Time to store all or part of the previous page.
        await sleep(100)
        await killWorkers(context)
      }
      const end = await executionEnd(context, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { status, runId = '' } = outputOf(end)
      assert.equal(status, 'published')
      const { manifest } = await assertWholeSnapshot(context, 'Crashing', runId)
      assert.equal(
        manifest.attempts,
        2,
        'the attempt that lost pages was not believed, the one that lost none was',
      )
    },
  },
]
