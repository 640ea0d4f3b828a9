import assert from 'node:assert/strict'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { account as accountId, region } from '../emulator.ts'
import { executionEnd, startExecution } from '../executions.ts'
import { look } from '../look.ts'
import { readLatest, readObject, sourceDocuments, writeObject } from '../snapshot-proof.ts'

interface Kind {
  readonly kind: string
  readonly subject: string
  readonly command: RegExp
  readonly open: (context: CheckContext) => Promise<unknown>
  readonly resolve: (context: CheckContext) => Promise<unknown>
}

const sync = async (context: CheckContext) =>
  executionEnd(context, await startExecution(context, { entity: 'Crashing' }))

/** The published manifest before it was damaged. */
let intact: readonly [key: string, body: Buffer] = ['', Buffer.alloc(0)]

const notWoken = { pk: 'slots', sk: 'not-woken#Worker' }

/** What the state shows without waiting for hours; test/unit/look/kinds.test.ts has every kind. */
const kinds: readonly Kind[] = [
  {
    kind: 'run-failed',
    subject: 'Longshore: Crashing: run-failed',
    command: /What to do: .+\n {4}npx --no-install longshore \w/,
    async open(context) {
      const fault = { kind: 'status', status: 404 } as const
      context.platform.faults.add({ match: onScroll({ entity: 'Crashing' }), fault, times: Infinity })
      // A first failure is a note.
      for (let runs = 0; runs < 2; runs++) await sync(context)
      context.platform.faults.clear()
    },
    resolve: sync,
  },
  {
    kind: 'run-refused',
    subject: 'Longshore: Crashing: run-refused',
    command: /longshore review/,
    async open(context) {
      const { documents } = context.platform
      documents.set('Crashing', sourceDocuments(context, 'Crashing').slice(0, 100))
      await sync(context)
    },
    async resolve(context) {
      context.platform.documents.set('Crashing', makeDocuments(3_000, { seed: 4 }))
      await sync(context)
    },
  },
  {
    kind: 'unreadable-data',
    subject: 'Longshore: Crashing: unreadable-data',
    command: /longshore verify Crashing --repair/,
    async open(context) {
      const key = (await readLatest(context, 'Crashing'))?.manifest ?? ''
      intact = [key, await readObject(context, key)]
      await writeObject(context, key, intact[1].subarray(1))
    },
    resolve: (context) => writeObject(context, ...intact),
  },
  {
    kind: 'waiting-not-woken',
    subject: 'Longshore: waiting-not-woken',
    command: /states:SendTaskSuccess[\s\S]+longshore doctor/,
    open: ({ account, deployment }) =>
      account.putItem(deployment.table, {
        ...notWoken,
        version: 2,
        by: 'Worker',
        runId: '20260301T060000000Z-0123456789ab',
        reason: 'AccessDeniedException',
        since: new Date().toISOString(),
        until: Date.now() + 3_600_000,
      }),
    resolve: ({ account, deployment }) => account.deleteItem(deployment.table, notWoken),
  },
]

/** Mails to the topic of the alarms, from now on. */
async function subscribe({ account }: CheckContext) {
  const topics = await account.sns({ Action: 'ListTopics' })
  const [topic = ''] = /arn:aws:sns:[^<]*Alarms[^<]*/.exec(topics) ?? []
  const Endpoint = `arn:aws:sqs:${region}:${accountId}:mails`
  const Principal = { Service: 'sns.amazonaws.com' }
  const Statement = [{ Effect: 'Allow', Principal, Action: 'sqs:SendMessage', Resource: Endpoint }]
  const { QueueUrl } = await account.sqs('CreateQueue', {
    QueueName: 'mails',
    Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement }) },
  })
  await account.sns({ Action: 'Subscribe', TopicArn: topic, Protocol: 'sqs', Endpoint })
  return async () => {
    const { Messages = [] } = await account.sqs('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 })
    for (const { ReceiptHandle } of Messages) await account.sqs('DeleteMessage', { QueueUrl, ReceiptHandle })
    return (Messages as { Body: string }[]).map(
      ({ Body }) =>
        JSON.parse(Body) as {
          Subject: string
          Message: string
          MessageAttributes?: { source?: { Value: string } }
        },
    )
  }
}

export const problemChecks: Check[] = [
  {
    name: 'the topic of the alarms, Slack and subscribers of events are told each problem when it opens and when it is over',
    async run(context) {
      await sync(context)
      await look(context)
      const received = await subscribe(context)
      for (const { kind, subject, command, open, resolve } of kinds) {
        const since = context.receivers.slack.messages.length
        await open(context)
        await look(context)
        const [opened, ...others] = await received()
        assert.deepEqual(others, [])
        assert.equal(opened?.Subject, subject)
        assert.match(opened.Message, command)
        assert.equal(opened.MessageAttributes?.source?.Value, 'longshore')
        await look(context)
        assert.deepEqual(await received(), [], 'nothing has changed')
        await resolve(context)
        await look(context)
        assert.deepEqual(
          (await received()).map(({ Subject }) => Subject),
          [`${subject} is resolved`],
        )
        const told = context.receivers.slack.messages.slice(since)
        assert.equal(told.filter(({ json }) => JSON.stringify(json).includes(kind)).length, 2)
        const events = (await context.events()).filter(({ detail }) => detail['kind'] === kind).slice(-2)
        assert.deepEqual(
          events.map((event) => event['detail-type']),
          ['Problem Opened', 'Problem Resolved'],
        )
        assert.equal(events[0]?.detail['id'], events[1]?.detail['id'])
      }
    },
  },
]
