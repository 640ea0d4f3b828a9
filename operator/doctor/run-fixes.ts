import type { EntityFact } from './facts.ts'
import type { LongshoreFixes } from './finding.ts'

type Run = EntityFact['runs'][number]

/** Statuses that another sync may not meet: rejected credentials are a finding of their own. */
const passing = ['401', '403', '408', '429']

/**
 * What resolves a failed run. The platform refuses the first page of an entity that it does not have, or of a query that
 * it does not understand: another sync would end the same way.
 */
export function fixOfFailed(
  run: Pick<Run, 'entity' | 'documents' | 'total' | 'faults'>,
  { longshore }: LongshoreFixes,
): string {
  const { entity, documents, faults } = run
  const statuses = documents > 0 ? [] : Object.keys(faults).filter((fault) => fault.startsWith('4'))
  const sync = longshore(`sync ${entity} --watch`)
  const isRefused = statuses.some((status) => !passing.includes(status))
  if (isRefused) return `${checkEntity(entity)}, then run ${sync}`
  return hasWrongTotal(run) ? `${ignoreTotals(entity)}, then run ${sync}` : sync
}

/** Every request had a page, and the platform reported another number of documents. */
const hasWrongTotal = ({ documents, total, faults }: Pick<Run, 'documents' | 'total' | 'faults'>): boolean =>
  typeof total === 'number' && total !== documents && Object.keys(faults).length === 0

const ignoreTotals = (entity: string) =>
  `if the platform's total is wrong in every run of ${entity}, set "totals: 'ignore'" for it in the configuration and deploy`

/** What resolves that an entity without a published snapshot was refused: it has no documents. */
export function fixOfEmpty(entity: string, { longshore }: LongshoreFixes): string {
  const allow = `if it has no documents and this is correct, set 'allowEmpty'`
  return `${checkEntity(entity, allow)}, then run ${longshore(`sync ${entity} --watch`)}`
}

const checkEntity = (entity: string, otherwise = '') =>
  `check the name and 'query' of ${entity} in the configuration${otherwise && ` (${otherwise})`} and deploy`
