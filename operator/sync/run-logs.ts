import { readFile } from 'node:fs/promises'
import { ProblemError } from '../../functions/http/result.ts'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { Configuration } from '../../lib/config.ts'
import type { RunView } from '../../stored/views.ts'
import { type LogEvent, searchLogGroup } from '../aws/log-groups.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import { type Deployment, longshoreCommand, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import type { Syncs } from './syncs.ts'

const maxConcurrentReads = 24

/** The run with this id, or the running or else the last run of the entity with this name. */
async function findRun(
  word: string,
  { entities }: Configuration,
  syncs: Pick<Syncs, 'read' | 'readRun'>,
): Promise<RunView | undefined> {
  if (entities.some(({ name }) => name === word)) {
    const { running, runs } = await syncs.read(word)
    return running ?? runs[0]
  }
  const found = await mapPooled(entities, maxConcurrentReads, ({ name }) =>
    syncs.readRun(name, word).catch(absentIf(ProblemError)),
  )
  return found.find((run) => run !== undefined)
}

/** The same. Throws `CommandError` if there is none. */
export async function requireRun(
  word: string,
  { configuration, syncs, target }: RunSource,
): Promise<RunView> {
  const run = await findRun(word, configuration, syncs)
  if (run) return run
  throw new CommandError(`'${word}' is neither a run of the last 30 days nor an entity with a run.`, {
    fix: longshoreCommand(target, 'status'),
  })
}

interface RunSource {
  readonly configuration: Configuration
  readonly syncs: Pick<Syncs, 'read' | 'readRun'>
  readonly target: Target
}

/** The request that starts a run is logged before it, and clocks differ. */
const beforeStartMs = 60_000
/** A comparison follows a run and takes at most as long as a Lambda function. */
const afterEndMs = 20 * 60_000

/** When lines of a run may have been logged. */
export function logPeriod(
  { runId, startedAt, endedAt }: Pick<RunView, 'runId' | 'startedAt' | 'endedAt'>,
  now: number,
): RunPeriod {
  const from = Date.parse(startedAt) - beforeStartMs
  const to = endedAt === null ? now : Date.parse(endedAt) + afterEndMs
  return { runId, from, to }
}

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
