import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { onScroll } from '../../../local/platform/faults.ts'
import { type Check, eventually } from '../check.ts'
import { executionEnd, findWorker, outputOf, startExecution } from '../executions.ts'
import { childrenOf } from '../processes.ts'
import { assertWholeSnapshot } from '../snapshot-proof.ts'
import type { World } from '../world.ts'

/** Slow enough that 30 pages outlast a step of 10 s, and that a worker can be met in the middle of one. */
const slow = { kind: 'slow', beforeHeadersMs: 500 } as const

export const crashChecks: Check[] = [
  {
    name: 'a sync outlives two deaths of its worker in mid-scroll, and publishes a proven snapshot',
    async run(world) {
      world.platform.faults.add({
        match: onScroll({ entity: 'Crashing', scroll: 1 }),
        fault: slow,
        times: Infinity,
      })
      const executionArn = await startExecution(world, { entity: 'Crashing' })
      for (const page of [6, 18]) {
        await eventually(
          `page ${page} is asked for`,
          () =>
            world.platform.requests.some(
              ({ name, scroll }) => name === 'Crashing' && scroll?.page === page,
            ) || undefined,
        )
        // The request is under way: whether it moves the cursor nobody will know.
        await sleep(200)
        await killWorkers(world)
      }
      const end = await executionEnd(world, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { status, runId = '' } = outputOf(end)
      assert.equal(status, 'published')
      const { manifest } = await assertWholeSnapshot(world, 'Crashing', runId)
      assert.equal(manifest.attempts, 2, 'the scroll that lost pages was not believed')
    },
  },
]

/** Kills the worker's processes as Lambda would: without a word. A scheduled sync may lose one too. */
async function killWorkers(world: World): Promise<void> {
  const { name } = await findWorker(world)
  const pids = await childrenOf(world.emulator.pid, `ministack-lambda-${name}-`)
  assert.ok(pids.length > 0, 'the emulator has no process of the worker')
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}
