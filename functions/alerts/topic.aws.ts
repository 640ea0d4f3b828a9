import { PublishCommand, SNSClient } from '@aws-sdk/client-sns'
import { clientLimits } from '../runtime/client-limits.ts'
import type { Mail } from './mail.ts'

/** Publishes a message to the topic of the alarms. Subscribers tell it from an alarm by the attribute. */
export function createTopicPublisher(client = new SNSClient(clientLimits.topic)) {
  return async (TopicArn: string, { subject, text }: Mail): Promise<void> => {
    const source = { DataType: 'String', StringValue: 'longshore' }
    await client.send(
      new PublishCommand({ TopicArn, Subject: subject, Message: text, MessageAttributes: { source } }),
    )
  }
}
