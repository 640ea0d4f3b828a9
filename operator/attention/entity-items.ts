import {
  type ChainState,
  isStopped,
  mustStartAgain,
  type StoppedChain,
  stoppedCommand,
  stoppedText,
} from '../../functions/problems/chain-state.ts'
import {
  incrementCommand,
  lastIncrementText,
  needsFullSync,
} from '../../functions/problems/increment-command.ts'
import {
  glueFix,
  hasProblem,
  type TableState,
  tableCommandLine,
  tableText,
} from '../../functions/problems/table-state.ts'
import {
  formatAge,
  formatCount,
  formatDocuments,
  formatRoughDuration,
} from '../../functions/runtime/format.ts'
import { maxAgeMs, maxWindowAgeMs } from '../doctor/schedule-findings.ts'
import type { ScheduleFact } from '../schedules/deployed.ts'
import type { Syncs } from '../sync/syncs.ts'
import type { AttentionItem } from './item.ts'

export type EntityView = Awaited<ReturnType<Syncs['read']>>
type RunView = EntityView['runs'][number]

export type ScheduleState =
  | { readonly kind: 'deployed'; readonly fact: ScheduleFact }
  /** `deploy`: the command line that deploys. */
  | { readonly kind: 'not-deployed'; readonly deploy: string }
  /** It could not be read, or there is none. */
  | { readonly kind: 'unknown' }

export interface EntityState {
  readonly view: Pick<
    EntityView,
    'entity' | 'enabled' | 'schedule' | 'running' | 'snapshot' | 'runs' | 'increments'
  >
  readonly chain: ChainState
  readonly table: TableState
  readonly schedule: ScheduleState
  readonly now: number
  /** A command line for this deployment. */
  readonly command: (args: string) => string
}

/** An item of the entity. `args` is its command line, without the program's name. */
type Found = Omit<AttentionItem, 'entities' | 'command' | 'runId'> & {
  readonly args: string
  readonly runId?: string
}

/** What waits for a person: at most one item of its runs, and one each of its change sets, table and schedule. */
export function entityItems(state: EntityState): AttentionItem[] {
  const { view, schedule, command } = state
  const entities = [view.entity]
  // The deployed functions do not know the entity.
  if (view.enabled && schedule.kind === 'not-deployed') {
    const evidence = `${view.entity} is configured, but not deployed.`
    const { deploy } = schedule
    const item = { since: null, evidence, action: 'Deploy.', command: deploy, runId: null }
    return [{ kind: 'not-deployed', entities, ...item }]
  }
  const items = [runItem, changesItem, incrementItem, tableItem, scheduleItem].flatMap(
    (find) => find(state) ?? [],
  )
  return items.map(({ args, runId = null, ...item }) => ({
    ...item,
    entities,
    command: command(args),
    runId,
  }))
}

function runItem(state: EntityState): Found | undefined {
  // A skipped run scrolls nothing, and a person has cancelled a cancelled one.
  const ended = state.view.runs.filter(({ endedAt, status }) => endedAt !== null && !passing.has(status))
  const last = ended[0]
  if (last?.status === 'refused') return refusedItem(state, ended)
  if (last?.status === 'failed') {
    const failed = streak(ended, 'failed')
    if (rejections(last) > 0) return rejectedItem(state, failed)
    if (failed.length > 1) return failedItem(state, failed)
  }
  return state.view.snapshot ? staleItem(state, state.view.snapshot) : missingItem(state, last)
}

const passing: ReadonlySet<RunView['status']> = new Set(['skipped', 'cancelled'])

/** The last runs that all ended this way, newest first. */
function streak(ended: readonly RunView[], status: RunView['status']): RunView[] {
  const first = ended.findIndex((run) => run.status !== status)
  return ended.slice(0, first < 0 ? ended.length : first)
}

const startOf = (runs: readonly RunView[]) => runs.at(-1)?.endedAt ?? null

/** How often the platform rejected the credentials. A run with documents had valid ones. */
const rejections = ({ documents, faults }: RunView) =>
  documents > 0 ? 0 : (faults['401'] ?? 0) + (faults['403'] ?? 0)

function refusedItem({ view, now }: EntityState, ended: readonly RunView[]): Found {
  const { entity, snapshot } = view
  const refused = streak(ended, 'refused')
  const { runId, uniqueIds, documents } = ended[0] as RunView
  const found = uniqueIds ?? documents
  const accept =
    found > 0
      ? 'If they were deleted on purpose, accept exactly this snapshot.'
      : 'To accept a snapshot without documents, first set allowEmpty in the configuration and deploy.'
  return {
    kind: 'run-refused',
    since: startOf(refused),
    evidence: `Run ${runId} of ${entity} was refused: it found ${formatDocuments(found)}${comparedText(found, snapshot, now)}${repeatedText(refused)}`,
    action: `Review which documents are missing. ${accept}`,
    args: `review ${runId}`,
    runId,
  }
}

function comparedText(found: number, snapshot: EntityView['snapshot'], now: number): string {
  if (!snapshot) return '.'
  const { documents, publishedAt } = snapshot
  const lost = documents - found
  const age = formatAge(publishedAt, now)
  if (lost <= 0) return `; the snapshot published ${age} has ${formatCount(documents)}.`
  const percent = ((lost * 100) / documents).toFixed(1)
  return `, ${percent}% fewer than the ${formatCount(documents)} of the snapshot published ${age}.`
}

/** How many runs in a row, if it is more than one. */
const repeatedText = ({ length }: readonly RunView[]) =>
  length > 1 ? ` The last ${length} runs ended in the same way.` : ''

function rejectedItem({ view }: EntityState, failed: readonly RunView[]): Found {
  const { runId } = failed[0] as RunView
  const count = rejections(failed[0] as RunView)
  return {
    kind: 'credentials-rejected',
    since: startOf(failed),
    evidence: `Run ${runId} of ${view.entity} failed: the platform rejected the credentials ${count === 1 ? 'once' : `${formatCount(count)} times`}.${repeatedText(failed)}`,
    action: 'Store an app key and app token that may read the entity.',
    args: 'credentials set',
    runId,
  }
}

function failedItem({ view }: EntityState, failed: readonly RunView[]): Found {
  const { runId, reason } = failed[0] as RunView
  return {
    kind: 'run-failed',
    since: startOf(failed),
    evidence: `The last ${failed.length} runs of ${view.entity} failed: ${reason ?? 'no reason is known.'}`,
    action: 'Read the log of the last run, fix the problem, and start a sync.',
    args: `logs ${runId}`,
    runId,
  }
}

function missingItem(
  { view: { entity, enabled, running } }: EntityState,
  last: RunView | undefined,
): Found | undefined {
  if (!enabled || running) return undefined
  const item = { kind: 'no-snapshot', since: last?.endedAt ?? null } as const
  const evidence = `${entity} has no snapshot yet.`
  if (last?.status !== 'failed')
    return { ...item, evidence, action: 'Start a sync.', args: `sync ${entity} --watch` }
  return {
    ...item,
    evidence: `${evidence} The last run failed: ${last.reason ?? 'no reason is known.'}`,
    action: 'Read the log of the run, fix the problem, and start a sync.',
    args: `logs ${last.runId}`,
    runId: last.runId,
  }
}

function staleItem(
  { view, now }: EntityState,
  { publishedAt }: NonNullable<EntityView['snapshot']>,
): Found | undefined {
  const { entity, enabled, schedule } = view
  const limitMs = maxAgeMs(schedule, now)
  const staleAt = Date.parse(publishedAt) + limitMs
  if (!enabled || now < staleAt) return undefined
  return {
    kind: 'stale',
    since: new Date(staleAt).toISOString(),
    evidence: `The snapshot of ${entity} was published ${formatAge(publishedAt, now)}; ${schedule} allows ${formatRoughDuration(limitMs)}.`,
    action: 'Sync it now, and check whether its schedule starts the next run.',
    args: `sync ${entity} --watch`,
  }
}

/** What runs and their snapshots need comes first: an increment only adds to a snapshot. */
function incrementItem({ view, now }: EntityState): Found | undefined {
  const { entity, enabled, increments, snapshot, running } = view
  if (!enabled || !increments || !snapshot || running) return undefined
  const { schedule, window, last } = increments
  const limitMs = maxWindowAgeMs(schedule, now)
  const from = window?.to ?? snapshot.publishedAt
  const staleAt = Date.parse(from) + limitMs
  if (now < staleAt) return undefined
  const ending = lastIncrementText(last)
  const reason = ending ? ` ${ending}` : ''
  const facts = { entity, last, publishedAt: snapshot.publishedAt }
  return {
    kind: 'increments-stale',
    since: new Date(staleAt).toISOString(),
    evidence: `The last increment window of ${entity} ended ${formatAge(from, now)}; ${schedule} allows ${formatRoughDuration(limitMs)}.${reason}`,
    action: needsFullSync(facts) ? 'Start a full sync.' : 'Start an increment, and check its result.',
    args: incrementCommand(facts),
  }
}

function changesItem({ view: { entity }, chain }: EntityState): Found | undefined {
  if (!isStopped(chain)) return undefined
  return {
    kind: chain.kind === 'refused' ? 'changes-refused' : 'changes-failed',
    since: chain.since,
    evidence: `${entity}: ${stoppedText(chain)}`,
    action: stoppedAction(chain),
    args: stoppedCommand(entity, chain),
    runId: chain.runId,
  }
}

function stoppedAction(chain: StoppedChain): string {
  if (chain.kind === 'refused')
    return 'Review which documents it deletes. If they were deleted on purpose, accept exactly this change set.'
  return mustStartAgain(chain)
    ? 'Reset the change sets, so that they start again at the snapshot of the next sync.'
    : 'Sync again: this repeats the comparison.'
}

function tableItem({ view: { entity }, table }: EntityState): Found | undefined {
  if (!hasProblem(table)) return undefined
  const evidence = `${entity}: ${tableText(table)}`
  const item = { since: table.since, evidence, args: tableCommandLine(entity), runId: table.runId }
  if (table.kind === 'behind') {
    const action =
      'Sync again: this builds the whole table again. If that fails too, read the log of the run.'
    return { kind: 'table-failed', ...item, action }
  }
  const fix = glueFix(table.reason)
  const first = fix && `${fix.charAt(0).toUpperCase()}${fix.slice(1)}. `
  return { kind: 'glue-failed', ...item, action: `${first ?? ''}Sync again: this updates Glue.` }
}

function scheduleItem({ view: { entity, enabled }, schedule }: EntityState): Found | undefined {
  if (!enabled || schedule.kind !== 'deployed') return undefined
  const { existing, differences } = schedule.fact
  const item = { since: null, args: `repair-schedule ${entity}` }
  if (!existing) {
    const evidence = `The schedule of ${entity} was deployed, but no longer exists in the account, so no run starts.`
    return { kind: 'schedule-missing', ...item, evidence, action: 'Restore the schedule.' }
  }
  if (differences.length === 0) return undefined
  const evidence = `The schedule of ${entity} was changed in the account: ${differences.join('; ')}.`
  return { kind: 'schedule-changed', ...item, evidence, action: 'Restore the schedule as deployed.' }
}
