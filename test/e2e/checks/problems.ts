import assert from 'node:assert/strict'
import { problemKinds } from '../../../functions/problems/problem-table.ts'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { createEntityItems } from '../../../stored/entity-items.ts'
import { createRunItems } from '../../../stored/run/run-items.ts'
import { createTableStore } from '../../../stored/tables/tables.aws.ts'
import { kindsOfOperators } from '../../kinds-of-operators.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { account as accountId, region } from '../emulator.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { look } from '../look.ts'
import { putKeys } from './credentials.ts'
import { entityKey, type Kind, kindsOf, notWoken, type Stored, watched } from './problems/kinds.ts'
import { findAsOperator } from './problems/operators.ts'
import { tableOf, write } from './problems/stored.ts'

/** A deployment of its own, of the first check. */
let beside: CheckContext | undefined

export const problemChecks: Check[] = [
  {
    name: 'the topic of the alarms, Slack, a webhook and subscribers of events are told each kind of problem once when it opens and once when it is over',
    async run(context) {
      const configuration = { ...watched, upstream: { baseUrl: context.platform.url }, stepSeconds: 10 }
      const own = { ...context, deployment: await context.deployBeside(configuration) }
      await putKeys(own)
      const kinds = kindsOf(await publish(own))
      const drilled = [...kinds.map(({ kind }) => kind), 'alert-failed', ...kindsOfOperators]
      assert.deepEqual(drilled.toSorted(), problemKinds.toSorted())
      await look(own)
      const mails = await subscribe(own)
      for (const kind of kinds) await drill(own, kind, mails)
      await drillReceiver(own, mails)
      beside = own
    },
  },
  {
    name: 'doctor shows each kind of problem that only an operator can see, until its cause has gone',
    async run() {
      assert.ok(beside, 'the deployment of the check before')
      await findAsOperator(beside)
    },
  },
]

/** Two snapshots of Full and one of Idle, of a deployment that has been looked at for long. */
async function publish(context: CheckContext): Promise<Stored> {
  const { deployment, s3, platform } = context
  const table = tableOf(context)
  const [state, runs] = [createEntityItems(table), createRunItems(table)]
  const [changes, tables] = [
    createChangeSetStore(deployment.bucket, s3),
    createTableStore(deployment.bucket, s3),
  ]
  const sync = async (entity: 'Full' | 'Idle', documents: number) => {
    platform.documents.set(entity, makeDocuments(documents))
    const { runId = '' } = outputOf(await executionEnd(context, await startExecution(context, { entity })))
    return eventually(`run ${runId} of ${entity} has a change set and a table`, async () => {
      const chain = (await changes.readLatest(entity))?.value
      const built = (await tables.readLatest(entity))?.value
      const [run] = await runs.readRuns([{ entity, runId }])
      const isDone = chain?.tip === runId && (entity === 'Idle' || built?.runId === runId)
      return isDone && run?.status === 'published' ? { chain, table: built, run } : undefined
    })
  }
  const before = await sync('Full', 50)
  const [{ chain, run }, { run: idleRun }] = await Promise.all([sync('Full', 60), sync('Idle', 20)])
  await look(context)
  const watchedKey = { pk: 'freshness', sk: 'watched' }
  const { watched: seen = {} } = (await table.get<{ watched: Record<string, object> }>(watchedKey)) ?? {}
  const since = new Date(Date.now() - 400 * 86_400_000).toISOString()
  const longAgo = Object.entries(seen).map(([name, one]) => [
    name,
    name.startsWith('Later') ? one : { ...one, since },
  ])
  const erased = { erasedAt: new Date().toISOString(), tablesErasedAt: new Date().toISOString() }
  const [full = {}, idle = {}] = (await state.readEntities(['Full', 'Idle'])).map((one) => ({
    ...one,
    ...erased,
  }))
  await write(context, {
    items: [
      [watchedKey, { watched: Object.fromEntries(longAgo) }],
      [entityKey('Full'), full],
      [entityKey('Idle'), idle],
    ],
  })
  const set = (await changes.readManifest('Full', run.runId))?.value
  assert.ok(before.table && set)
  return { full, idle, run, idleRun, chain, chainBefore: before.chain, tableBefore: before.table, set }
}

interface Received {
  readonly Subject: string
  readonly Message: string
  readonly MessageAttributes?: { readonly source?: { readonly Value: string } }
}

/** What the topic of the alarms receives, from now on. */
async function subscribe({ account, deployment }: CheckContext): Promise<() => Promise<Received[]>> {
  const topics = await account.sns({ Action: 'ListTopics' })
  const [topic = ''] = new RegExp(`arn:aws:sns:[^<]*${deployment.name}[^<]*Alarms[^<]*`).exec(topics) ?? []
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
    return (Messages as { Body: string }[]).map(({ Body }) => JSON.parse(Body) as Received)
  }
}

/** What everybody was told since then, as `opened run-failed`. */
function listenTo(context: CheckContext, { kind, entity }: Kind) {
  const { slack, webhook } = context.receivers
  const { name } = context.deployment
  const [ofSlack, ofWebhook] = [slack.messages.length, webhook.messages.length]
  return async () => ({
    slack: slack.messages.slice(ofSlack).filter(({ json }) => json.text.startsWith(`${name}: `)).length,
    webhook: webhook.messages
      .slice(ofWebhook)
      .flatMap(({ json }) =>
        json.deployment === name ? (json.problems as { event: string; kind: string }[]) : [],
      )
      .map(({ event, kind }) => `${event} ${kind}`),
    events: (await context.events())
      .filter(
        ({ detail }) =>
          detail['deployment'] === name && detail['kind'] === kind && detail['entity'] === entity,
      )
      .map((event) => ({ type: event['detail-type'], id: event.detail['id'] })),
  })
}

/** A look, which a rule starts every five minutes, finds the problem, and the next one that it is over. */
async function drill(context: CheckContext, expected: Kind, mails: () => Promise<Received[]>): Promise<void> {
  const { kind, entity, level = 'problem', evidence, state } = expected
  const subject = [context.deployment.name, entity, kind].filter(Boolean).join(': ')
  const isMailed = level === 'problem'
  const told = listenTo(context, expected)
  const before = await write(context, state)
  await look(context)
  const opened = await mails()
  assert.deepEqual(
    opened.map(({ Subject }) => Subject),
    isMailed ? [subject] : [],
    `${kind} opens`,
  )
  for (const { Message, MessageAttributes } of opened) {
    assert.match(Message, evidence)
    assert.match(Message, /^PROBLEM .+\n.+\nWhat to do: ./m)
    assert.equal(MessageAttributes?.source?.Value, 'longshore')
  }
  await look(context)
  assert.deepEqual(await mails(), [], `${kind} stays one problem`)
  await write(context, before)
  await look(context)
  const resolved = (await mails()).map(({ Subject }) => Subject)
  assert.deepEqual(resolved, isMailed ? [`${subject} is resolved`] : [], `${kind} is over`)
  const { slack, webhook, events } = await told()
  assert.equal(slack, isMailed ? 2 : 0, `Slack is told of ${kind}`)
  assert.deepEqual(webhook, [`opened ${kind}`, `resolved ${kind}`])
  assert.deepEqual(
    events.map(({ type }) => type),
    ['Problem Opened', 'Problem Resolved'],
  )
  assert.equal(events[0]?.id, events[1]?.id)
}

/** What is sent to a receiver shows that it is away. */
async function drillReceiver(context: CheckContext, mails: () => Promise<Received[]>): Promise<void> {
  const { slack } = context.receivers
  slack.respond = (response) => void response.writeHead(503).end()
  const before = await write(context, notWoken)
  await look(context)
  await look(context)
  const opened = (await mails()).at(-1)
  assert.equal(opened?.Subject, `${context.deployment.name}: alert-failed`)
  assert.match(opened.Message, /A message to alerts\[0\] \(slack\) was not delivered\. .+503/)
  slack.respond = (response) => void response.end('ok')
  await write(context, before)
  const resolved: string[] = []
  // The next attempt waits for more looks after each failure.
  for (let looks = 0; looks < 6; looks++) {
    await look(context)
    resolved.push(...(await mails()).map(({ Subject }) => Subject))
  }
  const ends = ['waiting-not-woken', 'alert-failed'].map(
    (kind) => `${context.deployment.name}: ${kind} is resolved`,
  )
  assert.deepEqual(resolved, ends)
}
