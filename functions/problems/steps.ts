import type { Area } from '../platform/areas.ts'

/** The longest text of a problem, of which the platform may write a part, in characters. */
export const maxText = 1_000

/** What a person does next about a problem. The command line and the console's button are both made from it. */
export type Step =
  | {
      readonly kind:
        | 'sync'
        /** Only useful once what the problem's text asks for is done, such as a deployment. */
        | 'sync-afterwards'
        | 'increment'
        | 'verify-repair'
        | 'reset-changes'
        | 'repair-schedule'
        | 'resume'
        | 'runs'
        | 'columns'
        | 'probe'
        | 'purge'
      readonly entity: string
    }
  | { readonly kind: 'sync-many'; readonly entities: readonly string[] }
  | { readonly kind: 'review' | 'logs'; readonly runId: string }
  /** `all` if no area has a secret of its own. */
  | { readonly kind: 'set-credentials'; readonly area: Area }
  | { readonly kind: 'doctor' }

/** The arguments after `longshore`. */
export function commandOf(step: Step): string {
  switch (step.kind) {
    case 'sync':
    case 'sync-afterwards':
      return `sync ${step.entity} --watch`
    case 'sync-many':
      return syncLine(step.entities)
    case 'increment':
      return `sync ${step.entity} --increment --watch`
    case 'verify-repair':
      return `verify ${step.entity} --repair`
    case 'reset-changes':
      return `changes ${step.entity} --reset`
    case 'repair-schedule':
      return `repair-schedule ${step.entity}`
    case 'resume':
      return `resume ${step.entity}`
    case 'runs':
      return `runs ${step.entity}`
    case 'columns':
      return `columns ${step.entity}`
    case 'probe':
      return `probe ${step.entity}`
    case 'purge':
      return `purge ${step.entity}`
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
export function syncMany(entities: readonly string[]): Extract<Step, { kind: 'sync-many' }> {
  const isTooLong = (_: string, index: number) => syncLine(entities.slice(0, index + 1)).length > maxText
  const end = entities.findIndex(isTooLong)
  return { kind: 'sync-many', entities: end < 0 ? entities : entities.slice(0, end) }
}
