import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AlertContext, Receiver } from '../../../functions/alerts/alerts.ts'
import { deliverChanges, storeChanges } from '../../../functions/alerts/alerts.ts'
import type { Mail } from '../../../functions/alerts/mail.ts'
import { emptyOutbox } from '../../../functions/alerts/outbox.ts'
import { createOutboxStore } from '../../../functions/alerts/outbox-store.ts'
import { post } from '../../../functions/alerts/post.ts'
import type { OpenProblem } from '../../../functions/problems/problem-events.ts'
import { alertTypes } from '../../../functions/runtime/settings.ts'
import { type AlertReceiver, startAlertReceiver } from '../../alert-receiver.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { open } from './problems.ts'

let receiver: AlertReceiver
beforeEach(async () => {
  receiver = await startAlertReceiver()
})
afterEach(() => receiver.close())

/** Looks every five minutes, each of which finds these problems. */
function testbed(alerts: readonly Partial<Receiver>[] = [{}]) {
  const lines: Record<string, unknown>[] = []
  const secrets: Record<string, string> = { hook: receiver.address }
  const mails: (Mail & { topicArn: string })[] = []
  const state = {
    now: Date.parse('2026-03-01T06:00:00Z'),
    isTopicAway: false,
    found: [] as readonly OpenProblem[],
  }
  const context: AlertContext = {
    deployment: 'Shop',
    receivers: alerts.map((alert) => ({ type: 'webhook', url: 'hook', notes: false, ...alert }) as Receiver),
    outboxes: createOutboxStore(new MemoryDynamoDb()),
    readSecret: async (id) => {
      if (!(id in secrets)) throw new Error(`Secrets Manager can't find ${id}.`)
      return secrets[id]
    },
    post,
    publish: async (topicArn, mail) => {
      if (state.isTopicAway) throw new Error('Denied on arn:aws:sns:eu-west-1:1:alarms')
      mails.push({ topicArn, ...mail })
    },
    commandLine: 'npx --no-install longshore',
    log: (level, message, fields = {}) => void lines.push({ level, message, ...fields }),
    now: () => state.now,
  }
  const store = async (after: readonly OpenProblem[]) => {
    state.now += 300_000
    return storeChanges(context, { before: state.found, after, time: new Date(state.now).toISOString() })
  }
  const look = async (...after: readonly OpenProblem[]) => {
    const waiting = await store(after)
    state.found = after
    await deliverChanges(context, waiting)
  }
  const events = () =>
    receiver.messages.map(({ json }) =>
      json.problems.map(({ event, kind }: { event: string; kind: string }) => `${event} ${kind}`),
    )
  return { context, lines, secrets, state, mails, store, look, events }
}

const refuse = () => {
  receiver.respond = (response) => void response.writeHead(503).end()
}
const accept = () => {
  receiver.respond = (response) => void response.end()
}

const failed = open()
const stale = open({ kind: 'stale', entity: 'AD' })

describe('a look', () => {
  it('sends one message with everything that changed, and none if nothing did', async () => {
    const { look, events, lines } = testbed()
    await look(failed, stale)
    await look(failed, stale)
    await look(stale)
    await look()
    expect(events()).toEqual([
      ['opened run-failed', 'opened stale'],
      ['resolved run-failed'],
      ['resolved stale'],
    ])
    expect(lines.map(({ level, message }) => [level, message])).toEqual(
      Array.from({ length: 3 }, () => ['INFO', 'alert delivered']),
    )
  })

  it('sends each receiver its own message, in the form of its type', async () => {
    const other = await startAlertReceiver()
    const { look, secrets } = testbed([{ type: 'slack' }, { type: 'teams', url: 'other', notes: true }])
    secrets['other'] = other.address
    await look(failed, open({ kind: 'paused', level: 'note' }))
    expect(receiver.messages.map(({ json }) => json.text)).toEqual(['Shop: 1 problem'])
    const [message] = other.messages
    await other.close()
    expect(message?.json.attachments[0].content.body[0].inlines[0].text).toBe('Shop: 1 problem, 1 note')
  })

  it('reads the secret each time', async () => {
    const other = await startAlertReceiver()
    const { look, secrets } = testbed()
    await look(failed)
    secrets['hook'] = JSON.stringify({ url: other.address })
    await look()
    const events = [receiver, other].map(({ messages }) => messages.map(({ json }) => json.problems[0].event))
    await other.close()
    expect(events).toEqual([['opened'], ['resolved']])
  })
})

describe('a message that cannot be delivered', () => {
  it('is sent by the next look that can, with what has changed since, and then never again', async () => {
    const { look, events, lines } = testbed()
    refuse()
    await look(failed)
    await look(failed, stale)
    accept()
    await look(failed, stale)
    await look(failed, stale)
    expect(events()).toEqual([
      ['opened run-failed'],
      ['opened run-failed', 'opened stale'],
      ['opened run-failed', 'opened stale'],
    ])
    expect(lines.map(({ message, AlertFailures }) => [message, AlertFailures])).toEqual([
      ['alert not delivered', 1],
      ['alert not delivered', 1],
      ['alert waits', 1],
      ['alert delivered', undefined],
    ])
    expect(lines[0]).toMatchObject({ level: 'ERROR', alert: 'alerts[0]', type: 'webhook', changes: 1 })
    expect(JSON.stringify(lines)).not.toContain('canary')
  })

  it.each([
    ['the secret cannot be read', 'unknown', undefined],
    ['the secret contains no address', 'hook', 'not set'],
    ['the address uses http', 'hook', 'http://a.example/canary'],
  ])('stays if %s, and the log does not quote it', async (_, url, value) => {
    const { look, lines, secrets, events } = testbed([{ url }])
    if (value !== undefined) secrets['hook'] = value
    await look(failed)
    expect(lines).toMatchObject([{ message: 'alert not delivered', AlertFailures: 1 }])
    expect(JSON.stringify(lines)).not.toMatch(/canary|not set/)
    secrets[url] = receiver.address
    await look(failed)
    expect(events()).toEqual([['opened run-failed']])
  })

  it('tells once how many changes did not fit', async () => {
    const { context, look } = testbed()
    await context.outboxes.write('hook', { ...emptyOutbox, left: 7 }, emptyOutbox)
    await look(failed)
    await look()
    expect(receiver.messages.map(({ json }) => json.more)).toEqual([7, 0])
  })

  it('is dropped after a day, and the log says so, except what is still open', async () => {
    const { look, lines, state, events } = testbed()
    await look(failed)
    refuse()
    await look(stale)
    await look(stale)
    state.now += 86_400_000
    accept()
    await look(stale)
    expect(lines.find(({ message }) => message === 'alert dropped')).toMatchObject({
      level: 'ERROR',
      changes: 1,
    })
    await look(stale)
    expect(events().slice(3)).toEqual([['opened stale']])
  })

  it('is sent by later looks at growing intervals, up to an hour, and counted by each look', async () => {
    const { look, lines, events } = testbed()
    refuse()
    const sentBy = []
    for (let number = 1; number <= 60; number++) {
      const before = receiver.messages.length
      await look(failed)
      if (receiver.messages.length > before) sentBy.push(number)
    }
    expect(sentBy).toEqual([1, 2, 4, 8, 16, 28, 40, 52])
    expect(lines.map(({ AlertFailures }) => AlertFailures)).toEqual(Array.from({ length: 60 }, () => 1))
    // What is new does not wait.
    accept()
    await look(failed, stale)
    expect(events().at(-1)).toEqual(['opened run-failed', 'opened stale'])
  })

  it('is not lost if the look itself could not be stored, and is sent once', async () => {
    const { store, look, events } = testbed()
    await store([failed])
    await look(open({ id: 'found again' }))
    expect(events()).toEqual([['opened run-failed']])
    expect(receiver.messages[0]?.json.problems[0].id).toBe('found again')
  })
})

describe('a message whose content is refused', () => {
  /** Accepts everything but messages with this evidence. */
  const refuseEvidence = (evidence: string) => {
    receiver.respond = (response) => {
      const isRefused = JSON.stringify(receiver.messages.at(-1)?.json).includes(evidence)
      response.writeHead(isRefused ? 400 : 200).end(isRefused ? 'invalid_blocks' : 'ok')
    }
  }
  const short = {
    slack: {
      text: 'Shop: 1 problem: `npx --no-install longshore status`',
      unfurl_links: false,
      unfurl_media: false,
    },
    teams: expect.objectContaining({ type: 'message' }),
    webhook: {
      version: 1,
      deployment: 'Shop',
      problems: [],
      more: 1,
      status: 'npx --no-install longshore status',
    },
  }

  it.each(alertTypes)(
    'is followed at once by the numbers, for %s, and keeps nothing else from being told',
    async (type) => {
      const { look, lines } = testbed([{ type }])
      const poison = open({ evidence: 'poison' })
      refuseEvidence('poison')
      await look(poison)
      expect(receiver.messages).toHaveLength(2)
      expect(receiver.messages[1]?.json).toEqual(short[type])
      expect(lines.map(({ message }) => message)).toEqual([
        'alert not delivered',
        'alert delivered in numbers',
      ])
      expect(lines[0]).toMatchObject({
        error: { message: expect.stringContaining('responds with 400: invalid_blocks.') },
      })
      await look(poison, stale)
      expect(JSON.stringify(receiver.messages.slice(2))).not.toContain('poison')
      expect(lines.at(-1)).toMatchObject({ message: 'alert delivered', changes: 1 })
      // It is sent again, without its numbers.
      await look(poison, stale)
      expect(receiver.messages).toHaveLength(4)
      expect(JSON.stringify(receiver.messages[3])).toContain('poison')
      accept()
      for (let number = 0; number < 5; number++) await look(poison, stale)
      expect(receiver.messages).toHaveLength(5)
      expect(lines.at(-1)).toMatchObject({ message: 'alert delivered', changes: 1 })
      await look(stale)
      expect(receiver.messages).toHaveLength(6)
    },
  )

  it('is told as a problem to other receivers, and not to its own', async () => {
    const { context, look } = testbed([{}, { url: 'other' }])
    refuse()
    await look(failed)
    accept()
    const [own] = await context.outboxes.read(['hook'])
    await look(failed, open({ kind: 'alert-failed' }))
    const told = receiver.messages.map(({ json }) => json.problems.map(({ kind }: { kind: string }) => kind))
    expect(own?.failure).toMatchObject({ since: '2026-03-01T06:05:00.000Z', attempts: 1 })
    expect(told).toEqual([['run-failed'], ['run-failed']])
  })

  it('stays if the receiver does not accept the numbers either, and both are sent again', async () => {
    const { look, events } = testbed()
    receiver.respond = (response) => void response.writeHead(413).end()
    await look(failed)
    accept()
    await look(failed)
    await look(failed)
    expect(events()).toEqual([['opened run-failed'], [], ['opened run-failed']])
  })
})

describe('the topic of the alarms', () => {
  const topic = { type: 'topic', url: 'arn:aws:sns:eu-west-1:123456789012:alarms' } as const

  it('receives one message for each look with changes, without notes, also if a receiver is away', async () => {
    const { look, mails, lines } = testbed([topic, {}])
    refuse()
    await look(failed, open({ kind: 'paused', level: 'note' }))
    await look(failed)
    await look()
    expect(mails.map(({ topicArn, subject }) => [topicArn, subject])).toEqual([
      [topic.url, 'Shop: CL: run-failed'],
      [topic.url, 'Shop: CL: run-failed is resolved'],
    ])
    expect(lines[0]).toMatchObject({ message: 'alert delivered', alert: 'alarmEmail', type: 'topic' })
    // The number of a receiver is that of the configuration.
    expect(lines[1]).toMatchObject({ message: 'alert not delivered', alert: 'alerts[0]', type: 'webhook' })
  })

  it('is told later what could not be published, which counts as an alert does', async () => {
    const { context, look, mails, state, lines, store } = testbed([topic])
    state.isTopicAway = true
    await look(failed)
    expect(lines).toMatchObject([{ message: 'alert not delivered', AlertFailures: 1 }])
    const failures = await deliverChanges(context, await store([failed]))
    expect(failures).toMatchObject([{ receiver: 'alarmEmail (topic)', reason: 'Denied on [redacted]' }])
    state.isTopicAway = false
    for (let looks = 0; looks < 3; looks++) await look(failed)
    expect(mails.map(({ subject }) => subject)).toEqual(['Shop: CL: run-failed'])
  })
})
