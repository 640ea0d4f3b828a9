import type { UnpublishedRun } from '../state/run/run.ts'
import type { Found } from './problem.ts'

/** Statuses that another sync may not meet: rejected credentials are a problem of their own. */
const temporary = ['401', '403', '408', '429']

type Fix = Pick<Found, 'action' | 'command'>

/** What resolves a failed run, or else where to look for it. */
export const fixOfFailed = (run: UnpublishedRun): Fix =>
  knownFix(run) ?? {
    action: 'Read the log of the last run, fix the problem, and start a sync.',
    command: `logs ${run.runId}`,
  }

/**
 * What resolves a run that failed for a known reason. The platform refuses the first page of an entity that it does not
 * have, or of a query that it does not understand: another sync would end the same way.
 */
export function knownFix(run: UnpublishedRun): Fix | undefined {
  const { entity, runId, documents, faults } = run
  if (run.kind === 'republication') {
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
  const action = `If the platform's total is wrong in every run of ${entity}, set "totals: 'ignore'" for it in the configuration and deploy. Then sync it.`
  return { action, command: `logs ${runId}` }
}

/** Every request had a page, and the platform reported another number of documents. */
const hasWrongTotal = ({ documents, total, faults }: UnpublishedRun): boolean =>
  typeof total === 'number' && total !== documents && Object.keys(faults).length === 0
