import { completed, type RunningRequest } from '../../functions/proxy/idempotency/stored-response.ts'
import { syncStateMachine } from '../../lib/sync/state-machine.ts'
import { newRunId } from '../../stored/run/run.ts'
import { latestKey } from '../../stored/snapshots/manifest.ts'
import { entityNamed } from '../entity-named.ts'
import { UpgradeDeployment } from './deployment.ts'
import { dump, type Execution, type Recording } from './recording.ts'

const minuteMs = 60 * 1000

/** Documents with ids and dates that follow from their numbers. */
const documents = (from: number, to: number, text = 'first') =>
  Array.from({ length: to - from }, (_, index) => {
    const number = from + index
    const createdIn = new Date(Date.UTC(2030, 0, 1) + number * minuteMs).toISOString()
    return JSON.stringify({ id: `id-${number}`, number, createdIn, text })
  })

const throttled = (seconds: number) => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: Buffer.from('{"Message":"Too many requests"}'),
})

const paged = (name: string) => entityNamed(name, { pageSize: 5 })
const partitioned = (name: string) =>
  entityNamed(name, { pageSize: 5, partitions: { by: 'createdIn', count: 3 } })

/** Records what today's code leaves behind in every state in which an upgrade can find it. */
export async function record(): Promise<Recording> {
  const deployment = new UpgradeDeployment({
    entities: [
      ...'Published Refused Failed Waiting Crashed Publishing Comparing RefusedChanges Damaged'
        .split(' ')
        .map(paged),
      ...['Ranges', 'WaitingRanges', 'CrashedRanges'].map(partitioned),
      entityNamed('Incremented', {
        pageSize: 5,
        increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 },
      }),
    ],
    definition: syncStateMachine,
    now: Date.UTC(2031, 0, 2),
  })
  const executions: Execution[] = []
  const comparisons: unknown[] = []
  let count = 0
  const execution = (entity: string, more: object = {}): Execution => {
    deployment.now += minuteMs
    const Name = `execution-${++count}`
    const Id = `arn:aws:states:eu-west-1:111122223333:execution:Sync:${Name}`
    return { Id, Name, StartTime: new Date(deployment.now).toISOString(), Input: { entity, ...more } }
  }
  const sync = async (entity: string, faults: Parameters<typeof deployment.execute>[1] = {}) => {
    const started = execution(entity)
    const outcome = await deployment.execute(started, faults)
    if (!outcome && !faults.onComparison) executions.push(started)
    return outcome?.status ?? 'IN PROGRESS'
  }
  const expectEach = async (expected: string, entity: string, faults?: Parameters<typeof sync>[1]) => {
    const status = await sync(entity, faults)
    if (status !== expected) throw new Error(`The sync of ${entity} is ${status}, not ${expected}.`)
  }

  // Each entity publishes a snapshot and starts its chain of change sets.
  for (const { name } of deployment.entities) {
    deployment.setDocuments(name, documents(0, 23))
    await expectEach('SUCCEEDED', name)
  }
  // Change sets with created, updated, deleted and withheld documents.
  for (const name of ['Published', 'Ranges']) {
    deployment.setDocuments(name, [...documents(1, 20), ...documents(20, 25, 'second')])
    await expectEach('SUCCEEDED', name)
  }
  // Without a total nothing proves that a document is gone: it is withheld.
  deployment.platform.scroll.total = 'missing'
  deployment.setDocuments('Published', documents(2, 26))
  await expectEach('SUCCEEDED', 'Published')
  deployment.platform.scroll.total = 'right'

  deployment.setDocuments('Refused', documents(0, 5))
  await expectEach('FAILED', 'Refused')
  await expectEach('FAILED', 'Failed', {
    onScroll: () => ({ status: 401, headers: {}, body: Buffer.from('{}') }),
  })

  // Comparisons that were refused and that failed: their chains stay where they were.
  deployment.setDocuments('RefusedChanges', documents(11, 34))
  await expectEach('SUCCEEDED', 'RefusedChanges')
  deployment.setDocuments('Damaged', documents(1, 24))
  deployment.damagePages('Damaged')
  await expectEach('SUCCEEDED', 'Damaged')

  // A pause. It stops what schedules start.
  const [since, until] = [0, 60_000].map((ms) => new Date(deployment.now + ms).toISOString())
  await deployment.stores.state.setPause('Published', {
    by: 'user/operator',
    since: since ?? '',
    reason: 'Migration.',
    until: until ?? null,
  })

  // A change set that a caller of the API accepted.
  const acceptance = { runId: newRunId(deployment.now), by: 'user/operator', execution: 'accept' }
  await deployment.stores.state.acceptChanges('RefusedChanges', { seen: undefined, acceptance })

  // Increments on top of a snapshot: one with records, and one that found nothing new.
  const updatedIn = new Date(deployment.now).toISOString()
  const [first = '', ...others] = documents(0, 23)
  const updated = JSON.stringify({ ...JSON.parse(first), updatedIn, text: 'second' })
  deployment.setDocuments('Incremented', [updated, ...others])
  for (let increments = 0; increments < 2; increments++) {
    const outcome = await deployment.execute(execution('Incremented', { increment: true }))
    if (outcome?.status !== 'SUCCEEDED') throw new Error(`An increment is ${outcome?.status}.`)
  }

  // Runs in progress.
  await expectEach('IN PROGRESS', 'Waiting', {
    stopsAtWait: true,
    onScroll: (request) => (request === 4 ? throttled(300) : undefined),
  })
  await expectEach('IN PROGRESS', 'WaitingRanges', {
    stopsAtWait: true,
    onScroll: (request) => (request > 6 ? throttled(300) : undefined),
  })
  for (const name of ['Crashed', 'CrashedRanges'])
    await expectEach('IN PROGRESS', name, { onScroll: (request) => (request === 6 ? 'crash' : undefined) })
  await expectEach('IN PROGRESS', 'Publishing', { crashesAtWrite: (key) => key === latestKey('Publishing') })
  deployment.setDocuments('Comparing', documents(1, 24))
  await expectEach('IN PROGRESS', 'Comparing', { onComparison: (event) => comparisons.push(event) })

  await keepResponses(deployment)
  return dump(deployment, { executions, comparisons })
}

/** One idempotent request in each state. */
async function keepResponses({ stores: { responses }, now }: UpgradeDeployment): Promise<void> {
  const first: RunningRequest = { kind: 'running', fingerprint: 'f', owner: 'o', until: now + 35_000 }
  const response = {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
  }
  for (const id of ['running', 'unknown', 'completed', 'completed-too-large'])
    await responses.begin(id, first, now)
  await responses.replace('unknown', { kind: 'unknown', fingerprint: 'f', owner: 'o' }, now)
  await responses.replace('completed', completed(first, response), now)
  await responses.replace(
    'completed-too-large',
    { kind: 'completed-too-large', fingerprint: 'f', owner: 'o', status: 200 },
    now,
  )
}
