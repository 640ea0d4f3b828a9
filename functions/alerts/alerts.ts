import type { AlertFailure } from '../problems/look-items.ts'
import { reasonOf } from '../runtime/format.ts'
import { describeError, type Log } from '../runtime/log.ts'
import { metricFields } from '../runtime/metrics.ts'
import { parseAddress } from '../runtime/receiver-address.ts'
import type { AlertSettings, AlertType } from '../runtime/settings.ts'
import { type Mail, mailOf } from './mail.ts'
import { alertMessage, type Report } from './message.ts'
import type { Looks, Outbox } from './outbox.ts'
import { addChanges, afterDelivery, hasNumbers, notDelivered, toldInNumbers, withoutOld } from './outbox.ts'
import type { OutboxStore } from './outbox-store.ts'
import type { Post } from './post.ts'
import { ContentRefused, deliveryErrorOf } from './refusal.ts'
import { slackMessage, slackNumbers } from './slack.ts'
import { teamsMessage, teamsNumbers } from './teams.ts'
import { webhookMessage } from './webhook.ts'

/** Who is told: a receiver of the configuration, or the topic of the alarms, which mails what it receives. `url`: its ARN. */
export type Receiver = AlertSettings | { readonly type: 'topic'; readonly url: string; readonly notes: false }

export interface AlertContext {
  /** The configuration's name. */
  readonly deployment: string
  readonly receivers: readonly Receiver[]
  readonly outboxes: OutboxStore
  /** The value of a secret, by its name or ARN. */
  readonly readSecret: (secretId: string) => Promise<string | undefined>
  readonly post: Post
  readonly publish: (topicArn: string, mail: Mail) => Promise<void>
  /** What comes before the arguments of a command. */
  readonly commandLine: string
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Stored messages that must be delivered after the look is stored. */
export type WaitingAlert = readonly (readonly [receiver: Receiver, outbox: Outbox])[]

/** Stores what each receiver must be told. Before the look is stored: if that fails, the next look finds it again. */
export async function storeChanges(context: AlertContext, looks: Looks): Promise<WaitingAlert> {
  const { receivers, outboxes, log, now } = context
  const stored = await outboxes.read(receivers.map(({ url }) => url))
  return Promise.all(
    receivers.map(async (receiver, index) => {
      const before = stored[index] as Outbox
      const kept = withoutOld(before, now())
      const dropped = before.pending.length - kept.pending.length
      if (dropped > 0) log('ERROR', 'alert dropped', { ...fieldsOf(context, receiver), changes: dropped })
      const outbox = addChanges(kept, looks, receiver)
      await outboxes.write(receiver.url, outbox, before)
      return [receiver, outbox] as const
    }),
  )
}

/**
 * Sends each receiver one message with everything that it must be told. What fails stays for later looks. Returns the
 * receivers to which something could not be delivered.
 */
export async function deliverChanges(context: AlertContext, waiting: WaitingAlert): Promise<AlertFailure[]> {
  const failed = await Promise.all(
    waiting.map(async ([receiver, stored]) => {
      const outbox = await deliver(context, receiver, stored)
      await context.outboxes.write(receiver.url, outbox, stored)
      const { since, reason } = outbox.failure ?? {}
      return since && reason ? [{ receiver: nameOfReceiver(context, receiver), since, reason }] : []
    }),
  )
  return failed.flat()
}

const fieldsOf = ({ receivers }: Pick<AlertContext, 'receivers'>, receiver: Receiver) => {
  const ofAlerts = receivers.filter(({ type }) => type !== 'topic')
  const alert = receiver.type === 'topic' ? 'alarmEmail' : `alerts[${ofAlerts.indexOf(receiver)}]`
  return { alert, type: receiver.type }
}

/** `alerts[0] (slack)`. */
export function nameOfReceiver(context: Pick<AlertContext, 'receivers'>, receiver: Receiver): string {
  const { alert, type } = fieldsOf(context, receiver)
  return `${alert} (${type})`
}

const failureMetric = () => metricFields({ AlertFailures: 1 })

/** What is to be stored after an attempt, or without one while it is not yet time for the next. */
async function deliver(context: AlertContext, receiver: Receiver, outbox: Outbox): Promise<Outbox> {
  const { deployment, commandLine, log, now } = context
  const { pending, left, failure } = outbox
  const fields = { ...fieldsOf(context, receiver), changes: pending.length }
  if (failure && failure.looksUntilRetry > 0) {
    const { reason, looksUntilRetry } = failure
    log('WARN', 'alert waits', { ...fields, looksUntilRetry, error: { message: reason }, ...failureMetric() })
    return outbox
  }
  if (pending.length === 0) return outbox
  const report = { deployment, commandLine, changes: pending, left }
  try {
    if (receiver.type === 'topic') await context.publish(receiver.url, mailOf(alertMessage(report)))
    else await send(context, receiver, formats[receiver.type][0](report))
  } catch (error) {
    log('ERROR', 'alert not delivered', { ...fields, error: describeError(error), ...failureMetric() })
    const failed = notDelivered(outbox, reasonOf(error), now())
    if (hasNumbers(outbox)) return toldInNumbers(failed)
    return error instanceof ContentRefused && receiver.type !== 'topic'
      ? deliverNumbers(context, receiver, { report, failed })
      : failed
  }
  log('INFO', 'alert delivered', fields)
  return afterDelivery(outbox)
}

/** At once after the receiver refused the content. Other messages do not wait for one that it never accepts. */
async function deliverNumbers(
  context: AlertContext,
  alert: AlertSettings,
  { report, failed }: { readonly report: Report; readonly failed: Outbox },
): Promise<Outbox> {
  const fields = { ...fieldsOf(context, alert), changes: report.changes.length }
  try {
    await send(context, alert, formats[alert.type][1](report))
  } catch (error) {
    context.log('ERROR', 'alert not delivered', { ...fields, error: describeError(error) })
    return failed
  }
  context.log('INFO', 'alert delivered in numbers', fields)
  return toldInNumbers(failed)
}

async function send(
  { readSecret, post }: AlertContext,
  { type, url: secretId }: AlertSettings,
  body: object,
): Promise<void> {
  const url = parseAddress(await readSecret(secretId))
  const refusal = deliveryErrorOf({ type, url }, await post(url, JSON.stringify(body)))
  if (refusal) throw refusal
}

/** How each type of receiver is told everything, and only how many problems opened and were resolved. */
const formats: Readonly<Record<AlertType, readonly [body: Format, numbers: Format]>> = {
  slack: [(report) => slackMessage(alertMessage(report)), (report) => slackNumbers(alertMessage(report))],
  teams: [(report) => teamsMessage(alertMessage(report)), (report) => teamsNumbers(alertMessage(report))],
  webhook: [
    webhookMessage,
    (report) => webhookMessage({ ...report, changes: [], left: report.changes.length + report.left }),
  ],
}

type Format = (report: Report) => object
