import type { FailureCause, UnpublishedRun } from '../../stored/run/run.ts'
import { redirectStatuses } from '../upstream/retry.ts'
import type { EntityFacts } from './facts.ts'
import type { Found, ProblemStep } from './problem.ts'

/** A run that failed, as it is stored or as callers see it. */
type FailedRun = Pick<UnpublishedRun, 'runId' | 'entity' | 'documents' | 'faults'> & {
  readonly total?: number | null | undefined
  readonly cause?: FailureCause | undefined
  /** Of a republication. */
  readonly republishedFrom?: string | null
}

export const unreadableFix = (entity: string) =>
  ({
    action: `Restore the newest intact version of the object. Then sync ${entity}.`,
    step: { kind: 'verify-repair', entity },
  }) satisfies Fix

/** What resolves the runs of an entity that failed for a known reason. */
interface KnownFix {
  /** What such runs have in common, for those who only read about it. */
  readonly when: string
  readonly isFor: (run: FailedRun) => boolean
  readonly action: (entity: string) => string
  readonly step: (run: FailedRun) => ProblemStep
}

/** Statuses that another sync may not meet: rejected credentials are a problem of their own. */
const temporary = ['401', '403', '408', '429']
/** What is received in place of a page if the address is not that of the API. */
const notOfAnApi: readonly string[] = ['not-json', ...redirectStatuses]

const readLog = ({ runId }: FailedRun): ProblemStep => ({ kind: 'logs', runId })
const listRuns = ({ entity }: FailedRun): ProblemStep => ({ kind: 'runs', entity })

/** Status, doctor, console and runbook have it from here. */
export const knownFixes: readonly KnownFix[] = [
  {
    when: 'a republication failed',
    isFor: ({ republishedFrom }) => Boolean(republishedFrom),
    action: (entity) =>
      `Readers still have the snapshot from before. Republish another kept snapshot of ${entity}, or start a sync.`,
    step: listRuns,
  },
  {
    when: 'somebody has overwritten an object that the run needs',
    isFor: ({ cause }) => cause === 'unreadable-object',
    action: (entity) => unreadableFix(entity).action,
    step: ({ entity }) => unreadableFix(entity).step,
  },
  {
    // Another sync would end the same way.
    when: 'the platform refused the first page: it does not have the entity, or does not understand its query',
    isFor: (run) => firstFaults(run).some((fault) => fault.startsWith('4') && !temporary.includes(fault)),
    action: (entity) =>
      `Check the name and 'query' of ${entity} in the configuration, and deploy. Then sync it.`,
    step: ({ entity }) => ({ kind: 'sync-afterwards', entity }),
  },
  {
    when: 'no page was received, but a redirect, an HTML page, or something else that the platform does not send',
    isFor: (run) => firstFaults(run).some((fault) => notOfAnApi.includes(fault)),
    action: (entity) =>
      `If the platform's response was a redirect, a website or a sign-in page, 'upstream.baseUrl' is not the address of the API: correct it in the configuration and deploy. Then sync ${entity}.`,
    step: readLog,
  },
  {
    when: 'every request succeeded, and the count differs from the total',
    isFor: ({ documents, total, faults }) =>
      typeof total === 'number' && total !== documents && Object.keys(faults).length === 0,
    action: (entity) =>
      `If all runs of ${entity} found the same number of documents, the platform's total is wrong: raise 'totalTolerancePercent' in the configuration if it is nearly right, otherwise set "totals: 'ignore'" (without partitions). Deploy, then sync it.`,
    step: listRuns,
  },
]

/** How requests failed that received no page, of a run without any. */
const firstFaults = ({ documents, faults }: FailedRun) => (documents > 0 ? [] : Object.keys(faults))

export type Fix = Pick<Found, 'action' | 'step'>

export const credentialsFix = ({ credentialsArea: area }: EntityFacts): Fix => ({
  action:
    'Store an app key and app token that may read the entity: this offers to sync it. If they have been stored since, only sync it.',
  step: { kind: 'set-credentials', area },
})

/** What resolves that documents have no id, or else may be done. */
export const idFieldFix = (entity: string, otherwise: string): Fix => ({
  action: `Set 'idField' of ${entity} to a field that every document has, and deploy. Then sync it. Only if no field identifies the documents, ${otherwise}: a changed document then counts as deleted and created.`,
  step: { kind: 'sync-afterwards', entity },
})

/** What resolves a run that failed for a known reason. */
export function knownFix(run: FailedRun): Fix | undefined {
  const known = knownFixes.find(({ isFor }) => isFor(run))
  return known && { action: known.action(run.entity), step: known.step(run) }
}

/** What resolves a failed run, or else where to look for it. */
export const fixOfFailed = (run: FailedRun): Fix =>
  knownFix(run) ?? {
    action: 'Read the log of the last run, fix the problem, and start a sync.',
    step: readLog(run),
  }
