import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { account, region } from './aws-json-server.ts'
import { guarded } from './guard.ts'
import { listen, type Served } from './listen.ts'

export const topicArn = `arn:aws:sns:${region}:${account}:alarms`

/** SNS with one topic and one subscriber. It has AWS's query protocol. */
export function serveTopic(subscriber: (subject: string, text: string) => void): Promise<Served> {
  async function publish(request: IncomingMessage, response: ServerResponse) {
    const parameters = new URLSearchParams(await text(request))
    subscriber(parameters.get('Subject') ?? '', parameters.get('Message') ?? '')
    response.setHeader('content-type', 'text/xml')
    response.end('<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>')
  }
  const server = createServer((request, response) => {
    publish(request, response).catch(() => response.destroy())
  })
  return listen(guarded(server, 'xml'))
}
