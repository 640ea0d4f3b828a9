import type { ProblemEvent } from '../../stored/events.ts'
import type { Area } from '../platform/areas.ts'

/** What needs a person (`problem`), or what a person may want to know (`note`). */
export type Problem = Omit<ProblemEvent['detail'], 'id'>

/** A problem as a look has just found it. The command is that of the step. */
export interface FoundProblem extends Problem {
  readonly step?: ProblemStep
}

/** A problem before it has its kind, its entity and its command. */
export type Found = Omit<FoundProblem, 'kind' | 'entity' | 'command'>

/** As other programs see it. */
export const withoutStep = <P extends FoundProblem>({ step: _step, ...problem }: P): Omit<P, 'step'> =>
  problem

/** What stays the same while a problem lasts: its kind, and the entity that it concerns. */
export const nameOfProblem = ({ kind, entity }: Pick<Problem, 'kind' | 'entity'>): string =>
  entity === undefined ? kind : `${kind} ${entity}`

/** The longest text of a problem, of which the platform may write a part, in characters. */
export const maxText = 1_000

/** The arguments after `longshore` of the steps that name an entity. */
const entityCommands = {
  sync: (entity) => `sync ${entity} --watch`,
  /** Only useful once what the problem's text asks for is done, such as a deployment. */
  'sync-afterwards': (entity) => `sync ${entity} --watch`,
  increment: (entity) => `sync ${entity} --increment --watch`,
  'verify-repair': (entity) => `verify ${entity} --repair`,
  'reset-changes': (entity) => `changes ${entity} --reset`,
  'repair-schedule': (entity) => `repair-schedule ${entity}`,
  resume: (entity) => `resume ${entity}`,
  runs: (entity) => `runs ${entity}`,
  columns: (entity) => `columns ${entity}`,
  probe: (entity) => `probe ${entity}`,
  purge: (entity) => `purge ${entity}`,
} satisfies Record<string, (entity: string) => string>

/** What a person does next about a problem. The command line and the console's button are both made from it. */
export type ProblemStep =
  | { readonly kind: keyof typeof entityCommands; readonly entity: string }
  | { readonly kind: 'sync-many'; readonly entities: readonly string[] }
  | { readonly kind: 'review' | 'logs'; readonly runId: string }
  /** `all` if no area has a secret of its own. */
  | { readonly kind: 'set-credentials'; readonly area: Area }
  | { readonly kind: 'doctor' }

/** The arguments after `longshore`. */
export function commandOf(step: ProblemStep): string {
  if ('entity' in step) return entityCommands[step.kind](step.entity)
  switch (step.kind) {
    case 'sync-many':
      return syncLine(step.entities)
    case 'review':
      return `review ${step.runId}`
    case 'logs':
      return `logs ${step.runId}`
    case 'set-credentials':
      return step.area === 'all' ? 'credentials set' : `credentials set --area ${step.area}`
    case 'doctor':
      return 'doctor'
  }
}

const syncLine = (entities: readonly string[]) => `sync ${entities.join(' ')}`

/** Starts syncs of exactly these entities, or of the first ones if the command would be too long. */
export function syncMany(entities: readonly string[]): Extract<ProblemStep, { kind: 'sync-many' }> {
  const isTooLong = (_: string, index: number) => syncLine(entities.slice(0, index + 1)).length > maxText
  const end = entities.findIndex(isTooLong)
  return { kind: 'sync-many', entities: end < 0 ? entities : entities.slice(0, end) }
}
