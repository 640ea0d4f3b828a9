import { setTimeout as wait } from 'node:timers/promises'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import {
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Log } from '../../functions/runtime/log.ts'
import { compareResource, tablesResource, workerResource } from '../../lib/sync/state-machine.ts'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { createSecrets } from '../../local/embedded/secrets-manager.ts'
import { createStepFunctions } from '../../local/embedded/step-functions.ts'
import { invoke } from '../../local/lambda.ts'
import { createStateMachine } from '../../local/states/state-machine.ts'
import { createWake } from '../../stored/slots/wake.aws.ts'

const secrets = createSecrets({ keys: 'one' })
const bus = createEventBus()
const worker = vi.fn<(event: { task: string }) => Promise<unknown>>()
const stepFunctions = createStepFunctions(
  createStateMachine({
    invoke,
    functions: {
      [workerResource]: worker,
      [compareResource]: async () => ({ status: 'off' }),
      [tablesResource]: async () => ({ status: 'off' }),
    },
    // Waits of minutes stay open, so that a test can stop the execution. Retries do not wait.
    sleep: (ms, interrupted) =>
      Promise.race([
        wait(ms < 60_000 ? 1 : ms, undefined, { ref: false }),
        ...(interrupted ? [interrupted] : []),
      ]),
  }),
)
const { stateMachineArn } = stepFunctions

let served: Served
let clients: { secrets: SecretsManagerClient; events: EventBridgeClient; sfn: SFNClient }
beforeAll(async () => {
  served = await serveAwsJson({ ...secrets, ...bus.operations, ...stepFunctions.operations })
  const settings = { ...clientSettings, endpoint: served.endpoint }
  clients = {
    secrets: new SecretsManagerClient(settings),
    events: new EventBridgeClient(settings),
    sfn: new SFNClient(settings),
  }
})
afterAll(async () => {
  stepFunctions.close()
  for (const client of Object.values(clients)) client.destroy()
  await served.close()
})

describe('Secrets Manager', () => {
  const get = (SecretId: string, VersionStage?: string) =>
    clients.secrets.send(new GetSecretValueCommand({ SecretId, ...(VersionStage && { VersionStage }) }))

  it('returns a secret by name or ARN, and a new version after each put', async () => {
    const first = await get('keys')
    expect(first.SecretString).toBe('one')
    const put = await clients.secrets.send(
      new PutSecretValueCommand({ SecretId: 'keys', SecretString: 'two' }),
    )
    expect(put.VersionId).not.toBe(first.VersionId)
    expect(await get(first.ARN ?? '')).toMatchObject({ SecretString: 'two', VersionId: put.VersionId })
    expect(await get('keys', 'AWSPREVIOUS')).toMatchObject({
      SecretString: 'one',
      VersionId: first.VersionId,
    })
    const described = await clients.secrets.send(new DescribeSecretCommand({ SecretId: 'keys' }))
    expect(described.VersionIdsToStages?.[put.VersionId ?? '']).toEqual(['AWSCURRENT'])
    secrets['secretsmanager.PutSecretValue']({ SecretId: 'keys', SecretString: 'three' })
    expect((await get('keys')).SecretString).toBe('three')
  })

  it('rejects the name of an unknown secret', () =>
    expect(get('other')).rejects.toMatchObject({ name: 'ResourceNotFoundException' }))
})

it('EventBridge records events and reports those that it rejects', async () => {
  const Entries = [
    { Source: 'Longshore', DetailType: 'Snapshot Published', Detail: '{"entity":"CL"}' },
    { Source: 'Longshore', DetailType: 'Broken', Detail: '{' },
  ]
  const { FailedEntryCount } = await clients.events.send(new PutEventsCommand({ Entries }))
  expect(FailedEntryCount).toBe(1)
  expect(bus.events).toEqual([
    { source: 'Longshore', detailType: 'Snapshot Published', detail: { entity: 'CL' } },
  ])
})

describe('Step Functions with the deployed definition', () => {
  let count = 0
  beforeEach(() => void worker.mockReset())
  const start = (name: string, input: unknown = { entity: 'CL' }) =>
    clients.sfn.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }))
  const describeRun = (executionArn = '') => clients.sfn.send(new DescribeExecutionCommand({ executionArn }))

  /** Runs to the end with these responses of the worker. Errors are thrown. */
  async function runWith(responses: readonly unknown[]) {
    for (const response of responses) {
      if (response instanceof Error) worker.mockRejectedValueOnce(response)
      else worker.mockResolvedValueOnce(response)
    }
    const { executionArn } = await start(`run-${++count}`)
    return vi.waitFor(async () => {
      const execution = await describeRun(executionArn)
      expect(execution.status).not.toBe('RUNNING')
      return execution
    }, 20_000)
  }

  it('invokes the worker with the input, the execution and the result before until the run has ended', async () => {
    const ended = await runWith([
      { status: 'running', entity: 'CL' },
      { status: 'waiting', waitSeconds: 0 },
      { status: 'published' },
    ])
    expect(ended.status).toBe('SUCCEEDED')
    expect(worker).toHaveBeenCalledTimes(3)
    const previous = [
      { entity: 'CL' },
      { status: 'running', entity: 'CL' },
      { status: 'waiting', waitSeconds: 0 },
    ]
    for (const [index, [event]] of worker.mock.calls.entries()) {
      expect(event).toEqual({
        task: 'step',
        input: { entity: 'CL' },
        previous: previous[index],
        execution: { id: ended.executionArn, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
      })
    }
  })

  it('stops on request', async () => {
    worker.mockResolvedValue({ status: 'waiting', waitSeconds: 600 })
    const { executionArn = '' } = await start('stopped')
    await vi.waitFor(() => expect(worker).toHaveBeenCalledTimes(1), 20_000)
    await clients.sfn.send(
      new StopExecutionCommand({ executionArn, error: 'SyncCancelled', cause: 'by hand' }),
    )
    expect(await describeRun(executionArn)).toMatchObject({ status: 'ABORTED', error: 'SyncCancelled' })
    expect(worker).toHaveBeenCalledTimes(1)
  })

  const queued = { status: 'waiting', slot: 'syncs', runId: 'run-1', waitSeconds: 15, slotSeconds: 3600 }

  it('continues an execution that waits for a slot when its token is sent, once', async () => {
    worker.mockResolvedValueOnce(queued).mockResolvedValueOnce(undefined)
    worker.mockResolvedValue({ status: 'skipped' })
    const { executionArn = '' } = await start('woken')
    await vi.waitFor(() => expect(worker).toHaveBeenCalledTimes(2), 20_000)
    const [, [event]] = worker.mock.calls as unknown as [unknown, [{ task: string; token: string }]]
    expect(event.task).toBe('await-slot')
    const log = vi.fn<Log>()
    const wake = createWake(log, clients.sfn)
    const woken = [await wake(event.token), await wake(event.token), await wake('none')]
    expect(woken.map(({ kind }) => kind)).toEqual(['woken', 'gone', 'gone'])
    await vi.waitFor(async () => expect((await describeRun(executionArn)).status).toBe('SUCCEEDED'))
    expect(log).not.toHaveBeenCalled()
    const unreachable = new SFNClient({ ...clientSettings, endpoint: 'http://127.0.0.1:1', maxAttempts: 1 })
    expect(await createWake(log, unreachable)(event.token)).toMatchObject({ kind: 'failed' })
    expect(log).toHaveBeenCalledWith('WARN', 'run not woken', {
      reason: expect.stringContaining('ECONNREFUSED'),
    })
    unreachable.destroy()
  })

  it('continues an execution whose token was sent, although the function that has it fails', async () => {
    worker.mockResolvedValueOnce(queued)
    worker.mockImplementationOnce(async (event) => {
      const { token } = event as unknown as { token: string }
      expect(await createWake(() => undefined, clients.sfn)(token)).toBe('woken')
      throw new Error('Its own calls failed.')
    })
    worker.mockResolvedValueOnce({ status: 'refused', reason: 'Woken.' })
    const { executionArn } = await start('woken before its function ends')
    await vi.waitFor(
      async () => expect(await describeRun(executionArn)).toMatchObject({ cause: 'Woken.' }),
      20_000,
    )
    expect(worker.mock.calls.map(([{ task }]) => task)).toEqual(['step', 'await-slot', 'step'])
  })

  it('no longer continues an execution that was stopped', async () => {
    worker.mockResolvedValueOnce(queued)
    worker.mockResolvedValue(undefined)
    const { executionArn = '' } = await start('stopped while it waits')
    await vi.waitFor(() => expect(worker).toHaveBeenCalledTimes(2), 20_000)
    const [, [event]] = worker.mock.calls as unknown as [unknown, [{ task: string; token: string }]]
    await clients.sfn.send(new StopExecutionCommand({ executionArn }))
    expect(await createWake(() => undefined, clients.sfn)(event.token)).toEqual({ kind: 'gone' })
  })

  it('starts only one execution per name', async () => {
    worker.mockResolvedValue({ status: 'waiting', waitSeconds: 600 })
    const { executionArn } = await start('once')
    expect((await start('once')).executionArn).toBe(executionArn)
    await expect(start('once', { entity: 'AD' })).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' })
    await expect(describeRun('unknown')).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' })
  })
})
