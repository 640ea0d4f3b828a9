import { fitting, type Limits, type Message, type Part } from './message.ts'

/** A workflow passes the card on as a text in JSON, so that a quotation mark of a text counts as four bytes. */
const bytesInText = (json: object) => Buffer.byteLength(JSON.stringify(JSON.stringify(json)))

const limits: Limits<ReturnType<typeof withCard>> = {
  // So that several problems fit.
  fitsPart: (part) => bytesInText(textOf(part)) <= 8_000,
  // Teams accepts 28 KB.
  fits: ({ attachments: [{ content }] }) => bytesInText(content) <= 28_000,
}

const colors: Readonly<Record<Part['mark'], string>> = {
  problem: 'Attention',
  note: 'Warning',
  resolved: 'Good',
}

/**
 * A message of a Workflows webhook ("When a Teams webhook request is received"): one Adaptive Card. Its texts are runs,
 * which Teams shows as they are. A text block would read them as Markdown, with links.
 */
export function teamsMessage(message: Message) {
  return fitting(message, limits, (parts, left) =>
    withCard([
      titleOf(message),
      ...parts.flatMap(textOf),
      ...(left > 0 ? [text([run(`and ${left} more: `), command(message.status)])] : []),
    ]),
  )
}

/** Only how many problems there are, and the command that shows them. */
export const teamsNumbers = (message: Message) =>
  withCard([titleOf(message), text([command(message.status)])])

const titleOf = ({ title }: Message) => text([run(title, { weight: 'Bolder', size: 'Medium' })])

function withCard(body: readonly ReturnType<typeof text>[]) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body,
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] as const }
}

interface Run {
  readonly type: 'TextRun'
  readonly text: string
}

/** One block per line: a line feed in a run is not shown everywhere. */
function textOf({ mark, name, time, evidence, action, command: line }: Part) {
  const state = mark === 'resolved' ? ` is resolved, ${time}` : ` ${time}`
  return [
    { ...text([run(name, { weight: 'Bolder', color: colors[mark] }), run(state)]), separator: true },
    text([run(evidence)]),
    ...(action === '' ? [] : [text([run(action, { isSubtle: true })])]),
    ...(line === undefined ? [] : [text([command(line)])]),
  ]
}

const text = (inlines: readonly Run[]) => ({ type: 'RichTextBlock', spacing: 'Small', inlines })
const run = (value: string, style: object = {}): Run => ({ type: 'TextRun', text: value, ...style })
const command = (line: string) => run(line, { fontType: 'Monospace' })
