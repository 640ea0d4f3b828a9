import type { UnpublishedRun } from '../state/run/run.ts'
import type { Found } from './problem.ts'

/** Statuses that another sync may not meet: rejected credentials are a problem of their own. */
const temporary = ['401', '403', '408', '429']

type Fix = Pick<Found, 'action' | 'command'>

/** A run that failed, as it is stored or as callers see it. */
type FailedRun = Pick<UnpublishedRun, 'runId' | 'entity' | 'documents' | 'faults'> & {
  readonly total?: number | null | undefined
  /** Of a republication. */
  readonly republishedFrom?: string | null
}

/** What resolves a failed run, or else where to look for it. */
export const fixOfFailed = (run: FailedRun): Fix =>
  knownFix(run) ?? {
    action: 'Read the log of the last run, fix the problem, and start a sync.',
    command: `logs ${run.runId}`,
  }

/**
 * What resolves a run that failed for a known reason. The platform refuses the first page of an entity that it does not
 * have, or of a query that it does not understand: another sync would end the same way.
 */
export function knownFix(run: FailedRun): Fix | undefined {
  const { entity, runId, documents, faults } = run
  if (run.republishedFrom) {
    const action = `Readers still have the snapshot from before. Republish another kept snapshot of ${entity}, or start a sync.`
    return { action, command: `runs ${entity}` }
  }
  const statuses = documents > 0 ? [] : Object.keys(faults).filter((fault) => fault.startsWith('4'))
  if (statuses.some((status) => !temporary.includes(status))) {
    const action = `Check the name and 'query' of ${entity} in the configuration, and deploy. Then sync it.`
    return { action, command: `sync ${entity} --watch` }
  }
  if (documents === 0 && faults['not-json']) {
    const action = `If the platform's response was a website or a sign-in page, 'upstream.baseUrl' is not the address of the API: correct it in the configuration and deploy. Then sync ${entity}.`
    return { action, command: `logs ${runId}` }
  }
  if (!hasWrongTotal(run)) return undefined
  const action = `If all runs of ${entity} found the same number of documents, the platform's total is wrong: raise 'totalTolerancePercent' in the configuration if it is nearly right, otherwise set "totals: 'ignore'" (without partitions). Deploy, then sync it.`
  return { action, command: `runs ${entity}` }
}

/** Every request had a page, and the platform reported another number of documents. */
const hasWrongTotal = ({ documents, total, faults }: FailedRun): boolean =>
  typeof total === 'number' && total !== documents && Object.keys(faults).length === 0
