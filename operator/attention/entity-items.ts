import {
  type ChainState,
  isStopped,
  mustStartAgain,
  type StoppedChain,
  stoppedCommand,
  stoppedText,
} from '../changes/chain-state.ts'
import { maxAgeMs, maxWindowAgeMs } from '../doctor/schedule-findings.ts'
import type { ScheduleFact } from '../schedules/deployed.ts'
import { incrementCommand, needsFullSync } from '../sync/increment-command.ts'
import type { Syncs } from '../sync/syncs.ts'
import { glueRemedy, hasProblem, type TableState, tableCommand, tableText } from '../tables/table-state.ts'
import { formatAge, formatCount, formatDocuments, formatRoughDuration } from '../text/format.ts'
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
  readonly command: (words: string) => string
}

/** What waits for a person: at most one item of its runs, and one each of its change sets, table and schedule. */
export function entityItems(state: EntityState): AttentionItem[] {
  const { view, schedule } = state
  // The deployed functions do not know the entity.
  if (view.enabled && schedule.kind === 'not-deployed') return [notDeployedItem(view.entity, schedule)]
  const run = runItem(state)
  return [
    ...(run ? [run] : []),
    ...changesItems(state),
    ...incrementItems(state),
    ...tableItems(state),
    ...scheduleItems(state),
  ]
}

function runItem(state: EntityState): AttentionItem | undefined {
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

function refusedItem({ view, now, command }: EntityState, ended: readonly RunView[]): AttentionItem {
  const { entity, snapshot } = view
  const refused = streak(ended, 'refused')
  const { runId, uniqueIds, documents } = ended[0] as RunView
  const found = uniqueIds ?? documents
  const accept =
    found > 0
      ? 'If they are gone on purpose, accept exactly this snapshot.'
      : 'To accept a snapshot without documents, first set allowEmpty in the configuration and deploy.'
  return {
    kind: 'run-refused',
    entities: [entity],
    since: startOf(refused),
    evidence: `Run ${runId} of ${entity} was refused: it found ${formatDocuments(found)}${comparedText(found, snapshot, now)}${repeatedText(refused)}`,
    action: `Review which documents are missing. ${accept}`,
    command: command(`review ${runId}`),
  }
}

function comparedText(found: number, snapshot: EntityView['snapshot'], now: number): string {
  if (!snapshot) return '.'
  const { documents, publishedAt } = snapshot
  const lost = documents - found
  const percent = lost > 0 ? ` (${((lost * 100) / documents).toFixed(1)}% fewer)` : ''
  return `; the snapshot published ${formatAge(publishedAt, now)} has ${formatCount(documents)}${percent}.`
}

/** How many runs in a row, if it is more than one. */
const repeatedText = ({ length }: readonly RunView[]) =>
  length > 1 ? ` The last ${length} runs ended like this.` : ''

function rejectedItem({ view, command }: EntityState, failed: readonly RunView[]): AttentionItem {
  const { runId } = failed[0] as RunView
  const count = rejections(failed[0] as RunView)
  return {
    kind: 'credentials-rejected',
    entities: [view.entity],
    since: startOf(failed),
    evidence: `Run ${runId} of ${view.entity} failed: the platform rejected the credentials ${count === 1 ? 'once' : `${formatCount(count)} times`}.${repeatedText(failed)}`,
    action: 'Store an app key and app token that may read the entity.',
    command: command('credentials set'),
  }
}

function failedItem({ view, command }: EntityState, failed: readonly RunView[]): AttentionItem {
  const { runId, reason } = failed[0] as RunView
  return {
    kind: 'run-failed',
    entities: [view.entity],
    since: startOf(failed),
    evidence: `The last ${failed.length} runs of ${view.entity} failed: ${reason ?? 'no reason is known.'}`,
    action: 'Read what the last run logged, resolve it, and start a sync.',
    command: command(`logs ${runId}`),
  }
}

function missingItem(
  { view: { entity, enabled, running }, command }: EntityState,
  last: RunView | undefined,
): AttentionItem | undefined {
  if (!enabled || running) return undefined
  const item = { kind: 'no-snapshot', entities: [entity], since: last?.endedAt ?? null } as const
  const evidence = `${entity} has no snapshot yet.`
  if (last?.status !== 'failed')
    return { ...item, evidence, action: 'Start a sync.', command: command(`sync ${entity} --watch`) }
  return {
    ...item,
    evidence: `${evidence} The last run failed: ${last.reason ?? 'no reason is known.'}`,
    action: 'Read what the run logged, resolve it, and start a sync.',
    command: command(`logs ${last.runId}`),
  }
}

function staleItem(
  { view, now, command }: EntityState,
  { publishedAt }: NonNullable<EntityView['snapshot']>,
): AttentionItem | undefined {
  const { entity, enabled, schedule } = view
  const limitMs = maxAgeMs(schedule, now)
  const staleAt = Date.parse(publishedAt) + limitMs
  if (!enabled || now < staleAt) return undefined
  return {
    kind: 'stale',
    entities: [entity],
    since: new Date(staleAt).toISOString(),
    evidence: `The snapshot of ${entity} was published ${formatAge(publishedAt, now)}; ${schedule} allows ${formatRoughDuration(limitMs)}.`,
    action: 'Sync it now, and see whether its schedule starts the next run.',
    command: command(`sync ${entity} --watch`),
  }
}

/** What runs and their snapshots need comes first: an increment only adds to a snapshot. */
function incrementItems({ view, now, command }: EntityState): AttentionItem[] {
  const { entity, enabled, increments, snapshot, running } = view
  if (!enabled || !increments || !snapshot || running) return []
  const { schedule, window, last } = increments
  const limitMs = maxWindowAgeMs(schedule, now)
  const from = window?.to ?? snapshot.publishedAt
  const staleAt = Date.parse(from) + limitMs
  if (now < staleAt) return []
  const reason = last?.reason ? ` The last increment ${last.status}: ${last.reason}` : ''
  const facts = { entity, last, publishedAt: snapshot.publishedAt }
  return [
    {
      kind: 'increments-stale',
      entities: [entity],
      since: new Date(staleAt).toISOString(),
      evidence: `The last window of increments of ${entity} ended ${formatAge(from, now)}; ${schedule} allows ${formatRoughDuration(limitMs)}.${reason}`,
      action: needsFullSync(facts) ? 'Start a full sync.' : 'Start an increment, and see how it ends.',
      command: command(incrementCommand(facts)),
    },
  ]
}

function changesItems({ view: { entity }, chain, command }: EntityState): AttentionItem[] {
  if (!isStopped(chain)) return []
  return [
    {
      kind: chain.kind === 'refused' ? 'changes-refused' : 'changes-failed',
      entities: [entity],
      since: chain.since,
      evidence: `${entity}: ${stoppedText(chain)}`,
      action: stoppedAction(chain),
      command: command(stoppedCommand(entity, chain)),
    },
  ]
}

function stoppedAction(chain: StoppedChain): string {
  if (chain.kind === 'refused')
    return 'Review which documents it deletes. If they are gone on purpose, accept exactly this change set.'
  return mustStartAgain(chain)
    ? 'Start the change sets again at the snapshot of the next sync.'
    : 'Sync again, which compares again.'
}

function tableItems({ view: { entity }, table, command }: EntityState): AttentionItem[] {
  if (!hasProblem(table)) return []
  const item = {
    entities: [entity],
    since: table.since,
    evidence: `${entity}: ${tableText(table)}`,
    command: command(tableCommand(entity)),
  }
  if (table.kind === 'behind') {
    const action =
      'Sync again, which makes the table whole again. If that fails too, read what the run logged.'
    return [{ kind: 'table-failed', ...item, action }]
  }
  const remedy = glueRemedy(table.reason)
  const first = remedy && `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}. `
  return [{ kind: 'glue-failed', ...item, action: `${first ?? ''}Sync again, which updates Glue.` }]
}

function notDeployedItem(
  entity: string,
  { deploy }: Extract<ScheduleState, { kind: 'not-deployed' }>,
): AttentionItem {
  const evidence = `${entity} is configured, but not deployed.`
  return {
    kind: 'not-deployed',
    entities: [entity],
    since: null,
    evidence,
    action: 'Deploy.',
    command: deploy,
  }
}

function scheduleItems({ view: { entity, enabled }, schedule, command }: EntityState): AttentionItem[] {
  if (!enabled || schedule.kind !== 'deployed') return []
  const { existing, differences } = schedule.fact
  const item = { entities: [entity], since: null, command: command(`repair-schedule ${entity}`) }
  if (!existing) {
    const evidence = `The schedule of ${entity} is deployed, but not in the account, so that no run starts.`
    return [{ kind: 'schedule-missing', ...item, evidence, action: 'Restore the schedule.' }]
  }
  if (differences.length === 0) return []
  const evidence = `The schedule of ${entity} was changed in the account: ${differences.join('; ')}.`
  return [{ kind: 'schedule-changed', ...item, evidence, action: 'Restore the schedule as deployed.' }]
}
