import { shortened } from '../runtime/format.ts'
import { fitting, type Message, type Part } from './message.ts'

/** Of one text (Slack, "Text object"). */
const maxText = 3_000
/** A message has 50 blocks at most. More than this is not read on a phone. */
const limit = { parts: 40, size: 20_000 }

const marks: Readonly<Record<Part['mark'], string>> = {
  problem: ':red_circle:',
  note: ':large_yellow_circle:',
  resolved: ':large_green_circle:',
}

/** A message of an incoming webhook. Text that is not ours mentions nobody, and becomes no link. */
export function slackMessage(message: Message) {
  const { parts, left } = fitting(message, { ...limit, sizeOf: (part) => textOf(part).length })
  const title = escaped(message.title)
  const more = left > 0 ? [section(`and ${left} more: ${code(message.status)}`)] : []
  return {
    // Of the notification: blocks replace it in the channel.
    text: title,
    blocks: [section(`*${title}*`), ...parts.map((part) => section(textOf(part))), ...more],
    unfurl_links: false,
    unfurl_media: false,
  }
}

/** Verbatim: names of channels, people and links in it stay text. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })

/** The evidence is shortened until the whole text is accepted. */
function textOf(part: Part, maxEvidence = 1_000): string {
  const { mark, name, time, action, command } = part
  const evidence = shortened(part.evidence, maxEvidence)
  const lines = [
    `${marks[mark]} *${escaped(name)}* ${mark === 'resolved' ? 'is resolved, ' : ''}${time}`,
    escaped(evidence),
    escaped(action),
    command === undefined ? '' : code(command),
  ]
  const text = lines.filter(Boolean).join('\n')
  return text.length <= maxText || maxEvidence < 10 ? text : textOf(part, Math.floor(maxEvidence / 2))
}

const code = (line: string) => `\`${escaped(line.replaceAll('`', "'"))}\``

/** Slack, "Formatting text for app surfaces": `<` begins links and mentions. `@here` is one only in old workspaces. */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=(?:here|channel|everyone)\b)/gi, '@\u200b')
