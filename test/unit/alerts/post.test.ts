import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { post } from '../../../functions/alerts/post.ts'
import { deliveryErrorOf } from '../../../functions/alerts/refusal.ts'
import type { AlertType } from '../../../functions/runtime/settings.ts'
import { type AlertReceiver, secretPath, startAlertReceiver } from '../../alert-receiver.ts'

let receiver: AlertReceiver
beforeEach(async () => {
  receiver = await startAlertReceiver()
})
afterEach(() => receiver.close())

async function send(): Promise<void> {
  const url = new URL(receiver.address)
  const refusal = deliveryErrorOf({ type: 'slack', url }, await post(url, JSON.stringify({ text: 'é' })))
  if (refusal) throw refusal
}

const failureOf = () =>
  send().then(
    () => undefined,
    (error: unknown) => error as Error,
  )

describe('a message', () => {
  it('is posted as JSON to the path and query of the address', async () => {
    await send()
    expect(receiver.messages).toMatchObject([
      {
        path: secretPath,
        headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': '13' },
        json: { text: 'é' },
      },
    ])
  })

  it.each<[what: string, respond: (response: ServerResponse) => void]>([
    ['204', (response) => response.writeHead(204).end()],
    ['200 and never ends the body', (response) => response.writeHead(200).write('o')],
    ['200 and then disconnects', (response) => response.writeHead(200).write('o', () => response.destroy())],
  ])('is accepted by a receiver that responds with %s', async (_, respond) => {
    receiver.respond = respond
    await send()
    expect(receiver.messages).toHaveLength(1)
  })

  it.each<[what: string, respond: (response: ServerResponse) => void, message: string]>([
    [
      'responds with 404, compressed',
      (response) => response.writeHead(404, { 'content-encoding': 'gzip' }).end(gzipSync('no_service')),
      'responds with 404: no_service.',
    ],
    [
      'redirects',
      (response) => response.writeHead(307, { location: receiver.address }).end(),
      'responds with 307, and redirects are not followed.',
    ],
    ['breaks the connection', (response) => response.destroy(), 'No response from the receiver: '],
    [
      'quotes the address',
      (response) =>
        response
          .writeHead(403)
          .end(`<p>POST ${secretPath}\n${receiver.address.replaceAll('/', '\\/')} canary-signature-b07e2c`),
      'responds with 403: <p>POST [redacted] [redacted] [redacted].',
    ],
  ])('is not delivered to a receiver that %s', async (_, respond, message) => {
    receiver.respond = respond
    const failure = await failureOf()
    expect(failure).toMatchObject({ name: 'DeliveryError', message: expect.stringContaining(message) })
    expect(JSON.stringify(failure) + failure?.stack).not.toContain('canary')
    expect(receiver.messages).toHaveLength(1)
  })

  it('is not delivered where nobody listens, and the reason names only the host', async () => {
    await receiver.close()
    const failure = await failureOf()
    const { host } = new URL(receiver.address)
    expect(failure?.message).toBe(`No response from the receiver: connection refused by ${host}.`)
    receiver = await startAlertReceiver()
  })
})

const delivery =
  'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413.'

it.each<[type: AlertType, status: number, body: string, name: string | undefined, quoted: string]>([
  ['slack', 400, 'invalid_blocks', 'ContentRefused', ': invalid_blocks.'],
  ['slack', 413, 'x'.repeat(5000), 'ContentRefused', `: ${'x'.repeat(200)}…`],
  ['slack', 410, 'channel_is_archived', 'DeliveryError', ': channel_is_archived.'],
  ['slack', 200, '{"text":"The sync failed","bl', undefined, ''],
  ['slack', 200, '[{"errors":["invalid_blocks"]}]', 'ContentRefused', ']}].'],
  ['slack', 200, '{"ok":false,"error":"invalid_blocks"}', 'ContentRefused', 'invalid_blocks"}.'],
  ['slack', 200, 'Unauthorized', 'ContentRefused', ': Unauthorized.'],
  ['teams', 202, 'An error is not reported by this status.', undefined, ''],
  ['teams', 200, '1', undefined, ''],
  ['teams', 200, 'POST / HTTP/1.1\n\nThe sync failed', undefined, ''],
  ['teams', 200, 'This connector has been removed', 'ContentRefused', ' removed.'],
  ['teams', 200, JSON.stringify(delivery), 'ContentRefused', `"${delivery}".`],
  ['teams', 200, '{"error":{"code":"TriggerInputSchemaMismatch"}}', 'ContentRefused', 'Mismatch"}}.'],
  ['webhook', 200, '0 errors, 0 failed', undefined, ''],
  ['webhook', 200, '{"success":"false"}', 'ContentRefused', '{"success":"false"}.'],
  ['webhook', 200, '{"code":19001,"msg":"invalid token"}', 'ContentRefused', '"invalid token"}.'],
  ['webhook', 200, '{"success":0}', 'ContentRefused', '{"success":0}.'],
  ['webhook', 200, '{"hasError":true}', 'ContentRefused', '{"hasError":true}.'],
  ['webhook', 200, '{"status":"OK","result":1234,"code":20000,"errors":{},"error":"none"}', undefined, ''],
  ['slack', 200, '<!DOCTYPE html><title>Log in', 'ContentRefused', 'Log in.'],
  ['teams', 200, '<html><title>Log in', 'ContentRefused', 'Log in.'],
  ['webhook', 200, '<html>done</html>', undefined, ''],
  ['webhook', 422, 'no field', 'ContentRefused', ': no field.'],
  ['webhook', 400, `\u0007${'🚢'.repeat(150)}`, 'ContentRefused', `: ${'🚢'.repeat(100)}…`],
  ['webhook', 429, '', 'DeliveryError', '429.'],
])('of a receiver for %s, %i and %j is %s', (...[type, status, body, name, quoted]) => {
  const refusal = deliveryErrorOf(
    { type, url: new URL('https://a.example/x') },
    { status, body: Buffer.from(body) },
  )
  expect(refusal?.name).toBe(name)
  expect(refusal?.message.slice(-quoted.length) ?? '').toBe(quoted)
})
