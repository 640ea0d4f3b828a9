import type { ProblemRow } from '../../contract/overview.ts'
import type { ActionName } from './actions.ts'
import { attentionTitle } from './format.ts'
import { links } from './route.ts'
import type { Tone } from './tones.ts'

export function problemsTitle(rows: readonly ProblemRow[]): string {
  const count = rows.filter(({ level }) => level === 'problem').length
  return attentionTitle(count, rows.length - count)
}

type Step = NonNullable<ProblemRow['step']>

/** The actions that do what a step does. What comes after a deployment, or only the command line does, has no button. */
const buttons: Readonly<Partial<Record<Step['kind'], ActionName>>> = {
  sync: 'start',
  increment: 'increment',
  resume: 'resume',
  'verify-repair': 'repair',
  purge: 'purge',
}

/** The button next to a problem of one entity. */
export const problemAction = ({ entities, step }: Pick<ProblemRow, 'entities' | 'step'>) =>
  step !== null && entities.length === 1 ? buttons[step.kind] : undefined

/** The link to the run that a problem is about: the page of a refused run is where it is reviewed. */
export function runLink({ entities, step }: Pick<ProblemRow, 'entities' | 'step'>) {
  const [entity, ...others] = entities
  if (entity === undefined || others.length > 0 || step === null || !('runId' in step)) return undefined
  return { href: links.run(entity, step.runId), text: step.kind === 'review' ? 'Review' : 'See the run' }
}

export const problemTone = ({ level }: ProblemRow): Tone => (level === 'note' ? 'warning' : 'problem')
