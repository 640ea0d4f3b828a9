import type { ProblemRow } from '../../contract/overview.ts'
import { actions, nothingEntered } from './actions.ts'
import { plural } from './format.ts'
import type { Tone } from './tones.ts'

export function problemsTitle(rows: readonly ProblemRow[]): string {
  const count = rows.filter(({ level }) => level === 'problem').length
  return count === 0 ? 'Nothing needs attention.' : `Needs attention: ${plural(count, 'problem')}`
}

/** Of the link to the run that a problem is about: the page of a refused run is where it is reviewed. */
export const runLinkText = ({ kind }: Pick<ProblemRow, 'kind'>): string =>
  kind.endsWith('-refused') ? 'Review' : 'See the run'

const offered = ['start', 'increment', 'resume', 'repair', 'purge'] as const

/** The action that does what the command of a problem does. */
export const problemAction = ({
  entities: [entity = ''],
  command,
}: Pick<ProblemRow, 'entities' | 'command'>) =>
  offered.find((name) => `${command} `.includes(` ${actions[name].args({ entity }, nothingEntered)} `))

export const problemTone = ({ level }: ProblemRow): Tone => (level === 'note' ? 'warning' : 'problem')
