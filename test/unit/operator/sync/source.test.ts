import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serveAwsJson } from '../../../../local/embedded/aws-json-server.ts'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { openLog } from '../../../../operator/sync/run-logs.ts'
import { serveStacks } from '../../../integration/cli-account.ts'
import { createLogGroups } from '../../../integration/log-groups.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'

const folder = temporaryFolder()

it('a line of the local log is read once it is complete', async () => {
  const path = join(folder, 'log')
  const read = await openLog({ log: { kind: 'file', path } } as never)
  const events = () => read({ runId: 'r', from: 0, to: 1 }, new AbortController().signal)
  appendFileSync(path, 'one\ntw')
  expect(await events()).toEqual([{ id: '0', text: 'one' }])
  appendFileSync(path, 'o\n')
  expect(await events()).toEqual([
    { id: '0', text: 'one' },
    { id: '1', text: 'two' },
  ])
})

describe('the log of a deployment', () => {
  const groups = [
    ...['Worker', 'Publisher', 'Compare', 'SyncApi', 'Proxy', 'Machine'].map((name) => `${name}Logs1`),
    'OldWorkerLogs1',
  ]

  async function serveLogs() {
    const event = (group: string, runId: string, timestamp: number) => ({
      timestamp,
      message: JSON.stringify({ group, runId, timestamp }),
    })
    const events = new Map(
      groups.map((group) => [
        group,
        [event(group, 'r', 1), event(group, 'r', 2), event(group, 'other', 2), event(group, 'r', 4)],
      ]),
    )
    const logs = await serveAwsJson(createLogGroups(events))
    const stacks = await serveStacks(
      {},
      {
        ShopSync: { 'AWS::Logs::LogGroup': groups.slice(0, 3), 'AWS::Lambda::Function': ['WorkerLogs2'] },
        ShopApi: { 'AWS::Logs::LogGroup': groups.slice(3) },
      },
    )
    for (const [name, value] of Object.entries({
      ...awsEnvironment({}),
      AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: logs.endpoint,
    }))
      vi.stubEnv(name, value)
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await Promise.all([logs.close(), stacks.close()])
    })
  }

  it('has the lines of a run and its period in the log groups of the functions that name runs', async () => {
    await serveLogs()
    const read = await openLog({ log: { kind: 'groups', stacks: 'Shop' } } as never)
    const events = await read({ runId: 'r', from: 2, to: 3 }, new AbortController().signal)
    expect(events.map(({ text }) => JSON.parse(text))).toEqual(
      groups.slice(0, 4).map((group) => ({ group, runId: 'r', timestamp: 2 })),
    )
  })

  it('is not read after an interrupt', async () => {
    await serveLogs()
    const read = await openLog({ log: { kind: 'groups', stacks: 'Shop' } } as never)
    await expect(read({ runId: 'r', from: 2, to: 3 }, AbortSignal.abort())).rejects.toThrow('aborted')
  })
})
