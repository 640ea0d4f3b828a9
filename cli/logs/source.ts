import { readFile } from 'node:fs/promises'
import { searchLogGroup } from '../aws/log-groups.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import type { Deployment } from '../deployment.ts'
import { type LogLine, linesOfRun } from './line.ts'

export interface RunPeriod {
  readonly runId: string
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

type ReadLines = (period: RunPeriod, signal: AbortSignal) => Promise<LogLine[]>

/** Reads the log lines of a run, where the deployment's functions write them. */
export function openLog({ log }: Deployment): ReadLines {
  return log.kind === 'file'
    ? async ({ runId }) => linesOfRun(runId, (await readFile(log.path, 'utf8')).split('\n'))
    : (period, signal) => readLogGroups(log.stacks, period, signal)
}

async function readLogGroups(stacks: string, { runId, from, to }: RunPeriod, signal: AbortSignal) {
  const pattern = `{ $.runId = "${runId}" }`
  const groups = await logGroups(stacks)
  const events = await Promise.all(
    groups.map((group) => searchLogGroup({ group, pattern, from, to }, signal)),
  )
  return linesOfRun(runId, events.flat())
}

/** The functions whose lines have a `runId`, by the logical ids of their log groups. */
const functionsOfRuns = /^(?:Worker|Compare|SyncApi)Logs/

async function logGroups(name: string): Promise<string[]> {
  const stacks = createStackStore()
  const lists = await Promise.all(
    ['Sync', 'Api'].map((suffix) => stacks.resources(name + suffix, 'AWS::Logs::LogGroup')),
  )
  return lists
    .flat()
    .filter(({ logicalId }) => functionsOfRuns.test(logicalId))
    .map(({ physicalId }) => physicalId)
}
