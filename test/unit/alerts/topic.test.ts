import { SNSClient } from '@aws-sdk/client-sns'
import { expect, it } from 'vitest'
import { createTopicPublisher } from '../../../functions/alerts/topic.aws.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'

it('a mail has its subject, and an attribute by which subscribers tell it from an alarm', async () => {
  const sent: object[] = []
  const client = new SNSClient(clientSettings)
  const reply =
    () =>
    async ({ input }: { readonly input: object }) => {
      sent.push(input)
      return { output: { $metadata: {} }, response: {} }
    }
  client.middlewareStack.add(reply, { step: 'initialize' })
  const topic = 'arn:aws:sns:eu-west-1:123456789012:alarms'
  await createTopicPublisher(client)(topic, { subject: 'CL is stale', text: 'Since noon.' })
  expect(sent).toEqual([
    {
      TopicArn: topic,
      Subject: 'CL is stale',
      Message: 'Since noon.',
      MessageAttributes: { source: { DataType: 'String', StringValue: 'longshore' } },
    },
  ])
})
