import { fitting, type Message, type Part } from './message.ts'

/** Teams accepts 28 KB in all. */
const limit = { parts: 40, size: 20_000 }

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
  const sizeOf = (part: Part) => Buffer.byteLength(JSON.stringify(textOf(part)))
  const { parts, left } = fitting(message, { ...limit, sizeOf })
  const more = left > 0 ? [text([run(`and ${left} more: `), command(message.status)])] : []
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      text([run(message.title, { weight: 'Bolder', size: 'Medium' })]),
      ...parts.flatMap(textOf),
      ...more,
    ],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
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
