import { text } from 'node:stream/consumers'
import { account, region } from './aws-json-server.ts'
import { serveGuarded } from './guard.ts'

export const topicArn = `arn:aws:sns:${region}:${account}:alarms`

/** SNS with one topic and one subscriber. It has AWS's query protocol. */
export const serveTopic = (subscriber: (subject: string, text: string) => void) =>
  serveGuarded('xml', async (request, response) => {
    const parameters = new URLSearchParams(await text(request))
    subscriber(parameters.get('Subject') ?? '', parameters.get('Message') ?? '')
    response.setHeader('content-type', 'text/xml')
    response.end('<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>')
  })
