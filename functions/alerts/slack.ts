import { fitting, type Limits, type Message, type Part } from './message.ts'

const limits: Limits<{ readonly blocks: readonly ReturnType<typeof section>[] }> = {
  // Slack, "Text object".
  fitsPart: (part) => textOf(part).length <= 3_000,
  // Slack does not document that it refuses more as `msg_blocks_too_long`.
  fits: ({ blocks }) => blocks.reduce((sum, { text }) => sum + text.text.length, 0) <= 12_000,
}

const marks: Readonly<Record<Part['mark'], string>> = {
  problem: ':red_circle:',
  note: ':large_yellow_circle:',
  resolved: ':large_green_circle:',
}

/** A message of an incoming webhook. Text that is not ours mentions nobody, and becomes no link. */
export function slackMessage(message: Message) {
  const title = escaped(message.title)
  return fitting(message, limits, (parts, left) => ({
    // Of the notification: blocks replace it in the channel.
    text: title,
    blocks: [
      section(`*${title}*`),
      ...parts.map((part) => section(textOf(part))),
      ...(left > 0 ? [section(`and ${left} more: ${code(message.status)}`)] : []),
    ],
    unfurl_links: false,
    unfurl_media: false,
  }))
}

/** Without blocks, which Slack may have refused. */
export const slackNumbers = ({ title, status }: Message) => ({
  text: `${escaped(title)}: ${code(status)}`,
  unfurl_links: false,
  unfurl_media: false,
})

/** Verbatim: names of channels, people and links in it stay text. */
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })

function textOf({ mark, name, time, evidence, action, command }: Part): string {
  const lines = [
    `${marks[mark]} *${escaped(name)}* ${mark === 'resolved' ? 'is resolved, ' : ''}${time}`,
    escaped(evidence),
    escaped(action),
    command === undefined ? '' : code(command),
  ]
  return lines.filter(Boolean).join('\n')
}

const code = (line: string) => `\`${escaped(line.replaceAll('`', "'"))}\``

/** Slack, "Formatting text for app surfaces": `<` begins links and mentions. `@here` is one only in old workspaces. */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=(?:here|channel|everyone)\b)/gi, '@\u200b')
