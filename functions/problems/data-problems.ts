import { lastEnded } from '../../stored/run/last-ended.ts'
import type { FullRun } from '../../stored/run/run.ts'
import { lacksEveryId, withoutIdText } from '../../stored/snapshots/without-id.ts'
import { causeOfUnreadable } from '../../stored/unreadable-object.ts'
import { formatDocuments, formatMinute, sentence } from '../runtime/format.ts'
import { isStopped, mustStartAgain, type StoppedChain, stoppedStep, stoppedText } from './chain-state.ts'
import type { EntityFacts } from './facts.ts'
import { commandOf, type Found } from './problem.ts'
import { idFieldFix, unreadableFix } from './run-fixes.ts'
import { schemaChangesText } from './schema-changes.ts'
import { glueFixes, hasProblem, tableText } from './table-state.ts'

/** The published snapshot has no change set. */
export function stoppedChain(
  { settings: { name }, chain, state }: EntityFacts,
  kind: StoppedChain['kind'],
): Found | undefined {
  if (!isStopped(chain) || chain.kind !== kind) return undefined
  const found = { level: 'problem', since: chain.since, evidence: `${name}: ${stoppedText(chain)}` } as const
  const ids = idsOf(state)
  if (chain.kind === 'refused' && ids && chain.deleted <= ids.withoutId)
    return {
      ...found,
      evidence: `${found.evidence} In its snapshot, ${withoutIdText(ids)}`,
      ...idFieldFix(name, 'review and accept this change set'),
    }
  return { ...found, action: stoppedAction(name, chain), step: stoppedStep(name, chain) }
}

/** Readers that follow the chain may continue; those that begin cannot. */
export function erasedChain({ settings: { name }, chain }: EntityFacts): Found | undefined {
  if (chain.kind !== 'erased') return undefined
  return {
    level: 'problem',
    since: null,
    evidence: `${name}: readers that begin to follow its change sets receive 410. ${chain.reason}`,
    action: 'Start a full sync: the change sets start again with its snapshot.',
    step: { kind: 'sync', entity: name },
  }
}

function stoppedAction(entity: string, chain: StoppedChain): string {
  if (chain.kind === 'refused')
    return 'Review which documents it deletes. If they were deleted on purpose, accept exactly this change set.'
  if (chain.cause === 'other') {
    const isLost = chain.tip === null && chain.failures === 0
    const first = isLost
      ? `If there were any before, restore them first: longshore verify ${entity} --repair. `
      : ''
    return `${first}Sync again: this repeats the comparison. If it fails again, read the log of the function Compare.`
  }
  if (chain.cause === 'damaged') {
    const restored =
      'Restore damaged and missing objects from their older versions, and sync again: this loses nothing.'
    if (chain.tip === null) return restored
    const reset = commandOf({ kind: 'reset-changes', entity })
    return `${restored} Otherwise reset the change sets: longshore ${reset}.`
  }
  if (chain.tip === null)
    return 'Change the configuration as the reason says, and deploy. Then sync again: this repeats the comparison.'
  const restore =
    'If an object is damaged or missing, restore its previous version and sync again: this loses nothing.'
  return mustStartAgain(chain)
    ? `${restore} Otherwise reset the change sets, so that they start again at the snapshot of the next sync.`
    : `${restore} Otherwise sync again: this repeats the comparison.`
}

export function failedTable({ settings: { name }, table }: EntityFacts): Found | undefined {
  if (!hasProblem(table)) return undefined
  const { since } = table
  const found = { level: 'problem', since, evidence: `${name}: ${tableText(table)}` } as const
  if (table.kind === 'behind') {
    const action =
      'Sync again: this builds the whole table again. If that fails too, read the log of the run.'
    return { ...found, action, step: { kind: 'sync', entity: name } }
  }
  const fix = glueFixes[table.reason]
  const again = 'Sync again: this updates Glue.'
  return fix === undefined
    ? { ...found, action: again, step: { kind: 'sync', entity: name } }
    : { ...found, action: `${fix}. ${again}`, step: { kind: 'sync-afterwards', entity: name } }
}

/** Somebody has overwritten an object. */
export function unreadableData({ settings: { name }, unreadable }: EntityFacts): Found | undefined {
  if (!unreadable) return undefined
  const found = { level: 'problem', since: null, evidence: `${name}: ${unreadable.problem}` } as const
  return causeOfUnreadable(unreadable)
    ? { ...found, ...unreadableFix(name) }
    : { ...found, action: `${sentence(unreadable.fix)} Then sync ${name}.` }
}

/** Readers of a snapshot whose fields changed may still work. */
export function changedSchema({ settings: { name }, state, schemaChanges }: EntityFacts): Found | undefined {
  if (!schemaChanges) return undefined
  return {
    level: 'note',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: ${schemaChangesText(schemaChanges)}`,
    action: 'Check whether readers and the configured columns still fit.',
    step: { kind: 'columns', entity: name },
  }
}

/** The snapshot is complete, but its change sets say little of documents without an id. */
export function documentsWithoutId({ settings: { name }, state }: EntityFacts): Found | undefined {
  const ids = idsOf(state)
  if (!ids) return undefined
  const found = { level: 'note', since: ids.since, evidence: `${name}: ${withoutIdText(ids)}` } as const
  return lacksEveryId(ids)
    ? { ...found, ...idFieldFix(name, 'leave it') }
    : { ...found, action: 'Give them an id on the platform if readers need their changes as updates.' }
}

/** What the published snapshot lacks; undefined if every document has an id. */
const idsOf = ({ latest, withoutId }: EntityFacts['state']) =>
  latest && withoutId
    ? { ...withoutId, documents: latest.documents, withoutId: withoutId.documents }
    : undefined

/** The last run that decided how to scroll; undefined if it was too long ago. */
export function lastScroll({ runs }: Pick<EntityFacts, 'runs'>): FullRun | undefined {
  return lastEnded(
    runs.filter((run): run is FullRun => run.kind === 'full' && run.split.kind !== 'unplanned'),
  )
}

/** The snapshot is complete all the same. */
export function unusedPartitions(facts: EntityFacts): Found | undefined {
  const { name } = facts.settings
  const run = lastScroll(facts)
  if (run?.split.kind !== 'fallback') return undefined
  return {
    level: 'note',
    since: run.startedAt,
    evidence: `${name}: the last run was scrolled without partitions: ${run.split.reason}`,
    action: 'The snapshot is complete. See what the platform does with ranges.',
    step: { kind: 'probe', entity: name },
  }
}

/** Data of an entity that is not configured. Keeping it may be intended. */
export interface OrphanedData {
  readonly entity: string
  /** What is published; null if nothing is. */
  readonly snapshot: { readonly documents: number; readonly publishedAt: string } | null
}

/** `deploy`: the command line that deploys, if the entity is still deployed; undefined also if nobody has looked. */
export interface OrphanedEntity extends OrphanedData {
  readonly deploy: string | undefined
}

export function orphanedData({ entity, snapshot, deploy }: OrphanedEntity): Found {
  const content = snapshot
    ? `${formatDocuments(snapshot.documents)}, published ${formatMinute(snapshot.publishedAt)}`
    : 'no published snapshot'
  const found = { level: 'note', since: snapshot?.publishedAt ?? null } as const
  if (deploy === undefined) {
    const evidence = `${entity} is not configured, but still has stored data: ${content}.`
    const action = 'If it is no longer needed, delete it for good.'
    return { ...found, evidence, action, step: { kind: 'purge', entity } }
  }
  // Its schedules may start a run, so `purge` refuses.
  const evidence = `${entity} is not configured, but is still deployed and has stored data: ${content}.`
  const action = `Deploy: ${deploy}. If its data is no longer needed, delete it afterwards.`
  return { ...found, evidence, action }
}

const maxNamed = 5

/** `CL, AD and 3 more`. */
export function listed(names: readonly string[]): string {
  const rest = names.length - maxNamed
  const named = names.slice(0, maxNamed).join(', ')
  return rest > 0 ? `${named} and ${rest} more` : named
}
