import { fitting, type Limits, type Message, type Part } from './message.ts'

/** What the topic of the alarms receives. */
export interface Mail {
  readonly subject: string
  readonly text: string
}

/** SNS API reference, "Publish": fewer than 100 characters of printable ASCII. */
const maxSubject = 99
const limits: Limits<string> = {
  maxParts: Number.POSITIVE_INFINITY,
  fitsPart: () => true,
  fits: (text) => Buffer.byteLength(text) <= 100_000,
}

const marks: Readonly<Record<Part['mark'], string>> = {
  problem: 'PROBLEM',
  note: 'NOTE',
  resolved: 'RESOLVED',
}

/** A message as text. The subject names the problem if there is only one. */
export function mailOf(message: Message): Mail {
  const { deployment, title, parts, left, status } = message
  const [only, ...others] = parts
  const isOne = only && others.length === 0 && left === 0
  const end = only?.mark === 'resolved' ? ' is resolved' : ''
  const subject = isOne ? `${deployment}: ${only.name}${end}` : title
  const text = fitting(message, limits, (shown, rest) =>
    [title, ...shown.map(textOf), `${rest > 0 ? `and ${rest} more` : 'All problems'}:\n    ${status}`].join(
      '\n\n',
    ),
  )
  return { subject: subject.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxSubject), text }
}

function textOf({ mark, name, time, evidence, action, command }: Part): string {
  const lines = [
    `${marks[mark]} ${name}${time && `, ${time}`}`,
    evidence,
    action && `What to do: ${action}`,
    command === undefined ? '' : `    ${command}`,
  ]
  return lines.filter(Boolean).join('\n')
}
