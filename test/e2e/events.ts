import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { openAccount } from './account.ts'
import { account, type Emulator, region, rootCredentials } from './emulator.ts'

/** A Longshore event as subscribers receive it. */
export interface PublishedEvent {
  readonly source: string
  readonly 'detail-type': string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Sends Longshore's events to a queue from now on, as a subscriber's own rule would. Returns all events so far. */
export async function listen(emulator: Emulator): Promise<() => Promise<readonly PublishedEvent[]>> {
  const owner = openAccount(emulator.url)
  const queueArn = `arn:aws:sqs:${region}:${account}:events`
  const policy = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn,
      },
    ],
  }
  const { QueueUrl } = await owner.sqs('CreateQueue', {
    QueueName: 'events',
    Attributes: { Policy: JSON.stringify(policy) },
  })
  const bus = new EventBridgeClient({ endpoint: emulator.url, region, credentials: rootCredentials })
  await bus.send(
    new PutRuleCommand({ Name: 'events', EventPattern: JSON.stringify({ source: ['Longshore'] }) }),
  )
  await bus.send(new PutTargetsCommand({ Rule: 'events', Targets: [{ Id: 'queue', Arn: queueArn }] }))
  bus.destroy()

  const received: PublishedEvent[] = []
  return async () => {
    for (;;) {
      const { Messages = [] } = await owner.sqs('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 })
      for (const { Body, ReceiptHandle } of Messages as { Body: string; ReceiptHandle: string }[]) {
        received.push(JSON.parse(Body))
        await owner.sqs('DeleteMessage', { QueueUrl, ReceiptHandle })
      }
      if (Messages.length === 0) return received
    }
  }
}
