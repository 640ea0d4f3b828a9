import { type Guard, newRunId, type Run } from '../../../../stored/run/run.ts'
import { latestKey } from '../../../../stored/snapshots/manifest.ts'
import { stepRequest, WorkerTestbed } from '../worker-testbed.ts'

interface Acceptance {
  readonly guard: Guard
  readonly by: string
  readonly withChanges: true
  readonly refusedAt: string
  /** The refused run. */
  readonly of: string
}

interface Refused {
  readonly testbed: WorkerTestbed
  readonly runId: string
}

/** The first run publishes three documents; a day later, `runId` is refused with one of them. */
export async function beginRefused(): Promise<Refused> {
  const testbed = new WorkerTestbed()
  const next = () => stepRequest(newRunId(testbed.now))
  await testbed.step(next())
  testbed.documents = ['{"id":1}']
  testbed.now += 24 * 60 * 60_000
  const request = next()
  await testbed.step(request)
  testbed.now += 60_000
  return { testbed, runId: request.driver.runId }
}

/** Requests that accept a refused run, and what is stored. */
export function acceptance(current: () => Refused) {
  const textOf = (key: string) => current().testbed.s3.objects.get(key)?.body.toString()
  return {
    accept: ({ guard = 'snapshot', by = 'alice', of = current().runId, ...more }: Partial<Acceptance> = {}) =>
      stepRequest(of, { kind: 'accept', guard, by, ...more }),
    next: () => stepRequest(newRunId(current().testbed.now)),
    runOf: (id: string): Promise<Run | undefined> => current().testbed.state.readRun('CL', id),
    textOf,
    publishedRun: () => JSON.parse(textOf(latestKey('CL')) ?? '{}').runId as string | undefined,
    entityItem: () => current().testbed.state.readEntity('CL'),
  }
}
