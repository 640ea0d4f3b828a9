import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mailOf } from '../../../functions/alerts/mail.ts'
import { alertMessage, type Report } from '../../../functions/alerts/message.ts'
import type { OutboxChange } from '../../../functions/alerts/outbox.ts'
import { slackMessage } from '../../../functions/alerts/slack.ts'
import { teamsMessage } from '../../../functions/alerts/teams.ts'
import { webhookMessage } from '../../../functions/alerts/webhook.ts'
import { open, opened, resolved } from './problems.ts'

const reportOf = (changes: readonly OutboxChange[], left = 0): Report => ({
  deployment: 'Shop',
  changes,
  left,
  commandLine: 'npx --no-install longshore',
})

const slackOf = (report: Report) => slackMessage(alertMessage(report))
const textsOfSlack = ({ blocks }: ReturnType<typeof slackMessage>) => blocks.map(({ text }) => text.text)
const slackTexts = (report: Report) => textsOfSlack(slackOf(report))

const teamsOf = (report: Report) => teamsMessage(alertMessage(report))
const textsOfTeams = ({ attachments: [{ content }] }: ReturnType<typeof teamsMessage>) =>
  content.body.map(({ inlines }) => inlines.map(({ text }) => text).join(''))
const teamsTexts = (report: Report) => textsOfTeams(teamsOf(report))

const { entity: _, command: __, ...ofDeployment } = open({ kind: 'platform-away', id: 'p' })

const many = (count: number, change = {}) =>
  Array.from({ length: count }, (_, index) => opened(open({ entity: `E${index}`, ...change })))

describe('a message says what happened, since when, why, and which command to run', () => {
  const began = 'CL: run-failed since 2026-03-01 05:00 UTC | The last run of CL failed: 500.'
  const isOver =
    'CL: run-failed is resolved, from 2026-03-01 05:00 UTC to 2026-03-01 07:05 UTC | The last run of CL failed: 500.'
  const again = open({ id: 'second', action: '', evidence: 'Again.', command: 'a' })
  const paused = open({ kind: 'paused', level: 'note', evidence: 'P.', action: '', command: 'resume CL' })
  const run = 'npx --no-install longshore'
  const rows: [what: string, changes: OutboxChange[], texts: string][] = [
    [
      'a problem that opened',
      [opened(open())],
      `Shop: 1 problem | ${began} | Read the log of the run. | ${run} logs r1`,
    ],
    [
      'a problem without a command, of the whole deployment',
      [opened(ofDeployment)],
      `Shop: 1 problem | ${began.replace('CL: run-failed', 'platform-away')} | Read the log of the run.`,
    ],
    ['a problem that is over', [resolved(open())], `Shop: 1 resolved | ${isOver}`],
    [
      'a problem that opened and is over since the last message, once',
      [opened(open()), resolved(open())],
      `Shop: 1 resolved | ${isOver}`,
    ],
    [
      'a problem that is over and opened again',
      [resolved(open({ id: 'first' })), opened(again)],
      `Shop: 1 problem, 1 resolved | CL: run-failed since 2026-03-01 05:00 UTC | Again. | ${run} a | ${isOver}`,
    ],
    [
      'the same problem of many entities as one, before notes',
      [opened(paused), ...many(40)],
      `Shop: 40 problems, 1 note | 40 entities: run-failed since 2026-03-01 05:00 UTC | The last runs of 40 entities failed: E0, E1, E2, E3, E4 and 35 more. | Look for a common cause first. | ${run} doctor | CL: paused since 2026-03-01 05:00 UTC | P. | ${run} resume CL`,
    ],
  ]

  it.each(rows)('in Teams: %s', (_, changes, texts) =>
    expect(teamsTexts(reportOf(changes)).join(' | ')).toBe(texts),
  )

  it.each(rows)('in Slack: %s', (_, changes, texts) => {
    const lines = slackTexts(reportOf(changes)).flatMap((text) => text.split('\n'))
    const plain = lines.map((line) => line.replace(/^:\w+: /, '').replaceAll(/[*`]/g, ''))
    expect(plain.join(' | ')).toBe(texts)
  })
})

describe('text of the platform', () => {
  const evidence =
    'R&D <!channel> <@U1> <https://evil.example|click> @here @Everyone [click](https://evil.example) **b**\n\u202eend'
  const report = reportOf([opened(open({ evidence, entity: 'A<b>', command: 'logs `x`' }))])

  it('mentions nobody and becomes no link in Slack', () => {
    const message = JSON.stringify(slackOf(report))
    expect(message).toContain('R&amp;D &lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|click&gt;')
    expect(message).toContain('A&lt;b&gt;: run-failed')
    expect(message).not.toMatch(/[<>]|@here|@everyone/i)
    expect(slackOf(report).blocks.every(({ text }) => text.verbatim)).toBe(true)
    // A back quote would end the code.
    expect(message).toContain("`npx --no-install longshore logs 'x'`")
  })

  it('is shown as it is in Teams, never as Markdown', () => {
    const [attachment] = teamsOf(report).attachments
    const elements = attachment?.content.body.flatMap(({ type, inlines }) => [
      type,
      ...inlines.map((run) => run.type),
    ])
    expect(new Set(elements)).toEqual(new Set(['RichTextBlock', 'TextRun']))
    expect(teamsTexts(report).join('\n')).toContain('[click](https://evil.example) **b**')
  })

  it('is on one line, and hidden characters are seen', () => {
    for (const text of [slackTexts(report)[1]?.split('\n')[1], teamsTexts(report)[2]])
      expect(text).toMatch(/\*\*b\*\*\\u000a\\u202eend$/)
  })
})

describe('a message that would be too large is shortened', () => {
  const refusals = (count: number) =>
    many(count, { kind: 'run-refused', evidence: '&🚢'.repeat(333), action: 'Review.' })
  const characters = ({ blocks }: ReturnType<typeof slackOf>) =>
    blocks.reduce((sum, { text }) => sum + text.text.length, 0)
  const bytesAsText = ({ attachments: [{ content }] }: ReturnType<typeof teamsOf>) =>
    Buffer.byteLength(JSON.stringify(JSON.stringify(content)))

  it.each(['"', '\\', '\n', '\u0007', '<', '&', '\ud83d', '👍', '{"a":"\\\\"}'])(
    'whatever its texts contain, such as %j',
    (piece) => {
      const text = piece.repeat(1_000).slice(0, 1_000)
      for (const count of [1, 50]) {
        const changes = { kind: 'run-refused', evidence: `x${text}`, action: text, command: text }
        const message = alertMessage(reportOf(many(count, changes)))
        const [slack, teams] = [slackMessage(message), teamsMessage(message)]
        expect(characters(slack)).toBeLessThanOrEqual(12_000)
        expect(bytesAsText(teams)).toBeLessThanOrEqual(28_000)
        for (const texts of [textsOfSlack(slack), textsOfTeams(teams)]) {
          expect(texts[1]).toContain('E0: run-refused')
          expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(3_000)
          expect(texts.join('')).not.toContain('\ufffd')
          expect(texts.join('').isWellFormed()).toBe(true)
        }
      }
    },
  )

  it.each([1, 3, 50, 400])('in Slack, with %i problems of a kind that is not grouped', (count) => {
    const report = reportOf(refusals(count), 2)
    const { blocks } = slackOf(report)
    expect(blocks.length).toBeLessThanOrEqual(50)
    for (const { text } of blocks) expect(text.text.length).toBeLessThanOrEqual(3_000)
    expect(JSON.stringify(blocks)).not.toContain('\\ud83d')
    const shown = blocks.length - 2
    expect(blocks.at(-1)?.text.text).toBe(
      `and ${count - shown + 2} more: \`npx --no-install longshore status\``,
    )
    expect(shown).toBeGreaterThan(0)
  })

  it.each([1, 3, 50, 400])('in Teams, with %i problems of a kind that is not grouped', (count) => {
    const report = reportOf(refusals(count), 2)
    expect(Buffer.byteLength(JSON.stringify(teamsOf(report)))).toBeLessThan(28_000)
    const texts = teamsTexts(report)
    const shown = texts.filter((text) => text.includes('run-refused since')).length
    expect(texts.at(-1)).toBe(`and ${count - shown + 2} more: npx --no-install longshore status`)
    expect(shown).toBeGreaterThan(0)
  })
})

it('the JSON of a webhook has every change in its order, with the members of the events', () => {
  const report = reportOf([opened(ofDeployment), resolved(open({ evidence: '<b>\n' }))], 3)
  expect(webhookMessage(report)).toEqual({
    version: 1,
    deployment: 'Shop',
    problems: [
      { event: 'opened', time: '2026-03-01T06:00:00.000Z', ...ofDeployment },
      {
        event: 'resolved',
        time: '2026-03-01T07:05:00.000Z',
        ...open({ evidence: '<b>\n' }),
        commandLine: 'npx --no-install longshore logs r1',
      },
    ],
    more: 3,
    status: 'npx --no-install longshore status',
  })
})

describe('a mail', () => {
  const mailed = (changes: readonly OutboxChange[], left = 0) => mailOf(alertMessage(reportOf(changes, left)))

  it.each([
    ['opened', [opened(open())], 'Shop: CL: run-failed'],
    ['resolved', [resolved(open())], 'Shop: CL: run-failed is resolved'],
    ['of the deployment', [opened(ofDeployment)], 'Shop: platform-away'],
    ['many', [opened(open()), resolved(open({ entity: 'AD' }))], 'Shop: 1 problem, 1 resolved'],
    ['of many entities', many(4), 'Shop: 4 entities: run-failed'],
  ])('has a subject for a problem: %s', (_, changes, subject) => {
    expect(mailed(changes).subject).toBe(subject)
  })

  it('has a subject that SNS accepts, and a text on lines of its own, whatever the platform sent', () => {
    const evil = `é\u202e\n${'x'.repeat(200)}`
    const { subject, text } = mailed([opened(open({ entity: evil, evidence: 'One\nSubject: other\u0007' }))])
    expect(subject).toMatch(/^[\x20-\x7e]{1,99}$/)
    expect(text).toContain('One\\u000aSubject: other\\u0007')
  })

  it('has at most 100 KB, and then how many more there are, with a command', () => {
    const evidence = 'é'.repeat(900)
    const kinds = Array.from({ length: 200 }, (_, at) =>
      opened(open({ kind: at > 0 ? 'run-refused' : 'of another version', entity: `E${at}`, evidence })),
    )
    const { text } = mailed(kinds, 5)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_000)
    expect(Buffer.byteLength(text)).toBeGreaterThan(95_000)
    expect(text).toMatch(/and \d+ more:\n {4}npx --no-install longshore status$/)
  })
})

describe('the examples in docs/events.md', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8')
  /** The lines of the quotation after a text, without its marks. */
  const quotedAfter = (text: string) => {
    const [, quoted = ''] = /^> (.*?)\n\n/ms.exec(page.slice(page.indexOf(text))) ?? []
    const lines = quoted
      .split('\n')
      .map((line) => line.replace(/^>\s?/, '').replaceAll(/\*\*|`|[🔴🟢] /gu, ''))
    return lines.filter((line) => line !== '')
  }
  const since = '2026-03-01T04:12:10.000Z'
  const runId = '20260301T041012345Z-a1b2c3d4e5f6'
  const stale = open({
    kind: 'stale',
    entity: 'PR',
    since: '2026-03-01T02:30:00.000Z',
    evidence: 'The snapshot of PR was published 2026-02-28 18:00 UTC; rate(6 hours) allows 12 h.',
  })

  it('are what Slack shows', () => {
    const failed = ['AD', 'CL', 'OR', 'SK'].map((entity) => opened(open({ entity, since })))
    const texts = slackTexts(reportOf([...failed, resolved(stale, '2026-03-01T05:05:00.000Z')]))
    const plain = texts.join('\n').replaceAll(/:\w+_circle: |[*`]/g, '')
    expect(quotedAfter('In **Slack**')).toEqual(plain.split('\n'))
  })

  const evidence = 'At least the last 2 runs of CL failed: the platform responded with 400.'
  const failed = open({ since, evidence, command: `logs ${runId}` })

  it('are what Teams shows', () => {
    expect(quotedAfter('In **Teams**')).toEqual(teamsTexts(reportOf([opened(failed)])))
  })

  it('are what the topic receives', () => {
    const changes = [opened(failed), resolved(stale, '2026-03-01T05:05:00.000Z')]
    const [, example = ''] = /```text\n(.*?)\n```/s.exec(page) ?? []
    expect(mailOf(alertMessage(reportOf(changes)))).toEqual({
      subject: 'Shop: 1 problem, 1 resolved',
      text: example,
    })
  })

  it('are what a webhook receives', () => {
    const [, example = ''] = /```json\n(\{\n {2}"version".*?)```/s.exec(page) ?? []
    const refused = open({
      id: 'run-refused/CL/2026-03-01T04:15:00.000Z',
      kind: 'run-refused',
      since,
      evidence: `Run ${runId} of CL was refused: it found 600 documents, 40.0% fewer than the 1,000 of the snapshot published 2026-02-28 22:10 UTC.`,
      action:
        'Review which documents are missing. If they were deleted on purpose, accept exactly this snapshot.',
      command: `review ${runId}`,
    })
    expect(JSON.parse(example)).toEqual(
      webhookMessage(reportOf([opened(refused, '2026-03-01T04:15:00.000Z')])),
    )
  })
})
