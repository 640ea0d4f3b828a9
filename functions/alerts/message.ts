import { grouped, inOrder, type ShownProblem } from '../problems/problems.ts'
import { formatMinute, plural, shortened } from '../runtime/format.ts'
import { escapeLine } from '../runtime/hidden-characters.ts'
import type { OutboxChange } from './outbox.ts'

/** What a receiver is told at once. */
export interface Report {
  /** The configuration's name. */
  readonly deployment: string
  /** The oldest first. */
  readonly changes: readonly OutboxChange[]
  /** Changes that are not in the list. */
  readonly left: number
  /** What comes before the arguments of a command. */
  readonly commandLine: string
}

/** A message for people. Text of the platform is on one line, and not yet escaped for where it is shown. */
export interface Message {
  /** The configuration's name. */
  readonly deployment: string
  /** `Shop: 2 problems, 1 resolved`. */
  readonly title: string
  readonly parts: readonly Part[]
  /** Changes that are not in the list. */
  readonly left: number
  /** The command line that shows all problems. */
  readonly status: string
}

/** One problem, or the same problem of many entities. */
export interface Part {
  readonly mark: 'problem' | 'note' | 'resolved'
  /** `CL: run-failed`. */
  readonly name: string
  /** `since 2026-03-01 05:00 UTC`, or from when to when it was open. */
  readonly time: string
  readonly evidence: string
  /** Empty for a resolved problem. */
  readonly action: string
  readonly command: string | undefined
  /** How many problems it is about. */
  readonly problems: number
}

/** What opened, the most urgent first, then what was resolved. A problem that did both since the last message is only resolved. */
export function alertMessage({ deployment, changes, left, commandLine }: Report): Message {
  const resolved = changes.filter(({ event }) => event === 'resolved')
  const opened = changes.filter(
    ({ event, problem }, index) =>
      event === 'opened' &&
      !changes.slice(index).some((one) => one.event === 'resolved' && one.problem.id === problem.id),
  )
  return {
    deployment,
    title: `${deployment}: ${titleOf(opened, resolved.length)}`,
    parts: [...openedParts(opened, commandLine), ...resolvedParts(resolved)],
    left,
    status: `${commandLine} status`,
  }
}

function titleOf(opened: readonly OutboxChange[], resolved: number): string {
  const ofLevel = (level: Part['mark']) => opened.filter(({ problem }) => problem.level === level).length
  const [problems, notes] = [ofLevel('problem'), ofLevel('note')]
  return [
    ...(problems > 0 ? [plural(problems, 'problem')] : []),
    ...(notes > 0 ? [plural(notes, 'note')] : []),
    ...(resolved > 0 ? [`${resolved} resolved`] : []),
  ].join(', ')
}

const openedParts = (opened: readonly OutboxChange[], commandLine: string): Part[] =>
  grouped(inOrder(opened.map(({ problem }) => problem))).map((one) => ({
    ...shown(one),
    mark: one.level,
    time: one.since === null ? '' : `since ${minuteOf(one.since)}`,
    action: escapeLine(one.action),
    command: one.command === undefined ? undefined : escapeLine(`${commandLine} ${one.command}`),
  }))

/** The times of a group are those of its first problem. */
const resolvedParts = (resolved: readonly OutboxChange[]): Part[] =>
  grouped(resolved.map(({ problem }) => problem)).map((one) => {
    const [entity] = one.entities
    const end = resolved.find(({ problem }) => problem.kind === one.kind && problem.entity === entity)
    const until = minuteOf(end?.time ?? null)
    const time = one.since === null ? `until ${until}` : `from ${minuteOf(one.since)} to ${until}`
    return { ...shown(one), mark: 'resolved', time, action: '', command: undefined }
  })

const shown = ({ kind, entities, evidence }: ShownProblem) => ({
  name: escapeLine([nameOf(entities), kind].filter(Boolean).join(': ')),
  evidence: escapeLine(evidence),
  problems: Math.max(1, entities.length),
})

const nameOf = (entities: readonly string[]) =>
  entities.length > 1 ? plural(entities.length, 'entity', 'entities') : entities[0]

const minuteOf = (time: string | null) => (time === null ? 'an unknown time' : formatMinute(time))

/** A part whose texts are shortened until `fits` accepts it. The command is left out if it is too long itself. */
function shortenedPart(part: Part, fits: (part: Part) => boolean, mostCharacters = 1_000): Part {
  const { name, evidence, action, command } = part
  const shorter = {
    ...part,
    name: shortened(name, mostCharacters),
    evidence: shortened(evidence, mostCharacters),
    action: shortened(action, mostCharacters),
    command: mostCharacters < 50 ? undefined : command,
  }
  const isLast = mostCharacters < 20
  return isLast || fits(shorter) ? shorter : shortenedPart(part, fits, Math.floor(mostCharacters / 2))
}

/** More than this is not read in a channel. */
const maxPartsOfChannel = 40

export interface Limits<M> {
  /** 40 if absent. */
  readonly maxParts?: number
  readonly fitsPart: (part: Part) => boolean
  readonly fits: (message: M) => boolean
}

/** The message with as many parts as its receiver accepts, and how many problems are left out. */
export function fitting<M>(
  { parts, left }: Pick<Message, 'parts' | 'left'>,
  { maxParts = maxPartsOfChannel, fitsPart, fits }: Limits<M>,
  build: (parts: readonly Part[], left: number) => M,
): M {
  const shown = parts.slice(0, maxParts).map((part) => shortenedPart(part, fitsPart))
  for (;;) {
    const others = parts.slice(shown.length).reduce((sum, { problems }) => sum + problems, 0)
    const message = build(shown, left + others)
    if (fits(message) || !shown.pop()) return message
  }
}
