import { readFile } from 'node:fs/promises'
import { type LogEvent, searchLogGroup } from '../aws/log-groups.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

export interface RunPeriod {
  readonly runId: string
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** Reads the events of a run. The local log has no index, so events of other runs are among them. */
export type ReadEvents = (period: RunPeriod, signal: AbortSignal) => Promise<LogEvent[]>

/** Opens the log where the deployment's functions write it. */
export async function openLog({ log }: Deployment): Promise<ReadEvents> {
  if (log.kind === 'file') return () => readLogFile(log.path)
  const groups = await logGroups(log.stacks)
  return async ({ runId, from, to }, signal) => {
    const pattern = `{ $.runId = "${runId}" }`
    const events = groups.map((group) => searchLogGroup({ group, pattern, from, to }, signal))
    return (await Promise.all(events)).flat()
  }
}

/** The last line is left out until it is complete. */
async function readLogFile(path: string): Promise<LogEvent[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
  return lines.map((text, index) => ({ id: String(index), text }))
}

/** The functions whose lines have a `runId`, by the logical ids of their log groups. */
const functionsOfRuns = /^(?:Worker|Publisher|Compare|SyncApi)Logs/

export async function logGroups(name: string): Promise<string[]> {
  const stacks = createStackStore()
  const lists = await Promise.all(
    ['Sync', 'Api'].map((suffix) => stacks.resources(name + suffix, 'AWS::Logs::LogGroup')),
  )
  return lists
    .flat()
    .filter(({ logicalId }) => functionsOfRuns.test(logicalId))
    .map(({ physicalId }) => physicalId)
}
