import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { post } from '../../../functions/alerts/post.ts'
import { type AlertReceiver, secretPath, startAlertReceiver } from '../../alert-receiver.ts'

let receiver: AlertReceiver
beforeEach(async () => {
  receiver = await startAlertReceiver()
})
afterEach(() => receiver.close())

const send = () => post(new URL(receiver.address), JSON.stringify({ text: 'é' }))

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
    ['202', (response) => response.writeHead(202).end()],
    ['204', (response) => response.writeHead(204).end()],
    ['200 and never ends the body', (response) => response.writeHead(200).write('o')],
    [
      '200 and breaks the connection',
      (response) => response.writeHead(200).write('o', () => response.destroy()),
    ],
  ])('is accepted by a receiver that responds with %s', async (_, respond) => {
    receiver.respond = respond
    await send()
    expect(receiver.messages).toHaveLength(1)
  })

  it.each<[what: string, respond: (response: ServerResponse) => void, message: string]>([
    ['responds with 404', (response) => response.writeHead(404).end('no_service'), 'responds with 404.'],
    ['responds with 500', (response) => response.writeHead(500).end(), 'responds with 500.'],
    [
      'redirects',
      (response) => response.writeHead(307, { location: receiver.address }).end(),
      'responds with 307, and redirects are not followed.',
    ],
    ['breaks the connection', (response) => response.destroy(), 'No response from the receiver: '],
  ])('is not delivered to a receiver that %s', async (_, respond, message) => {
    receiver.respond = respond
    const failure = await send().catch((error: unknown) => error as Error)
    expect(failure).toMatchObject({ name: 'DeliveryError', message: expect.stringContaining(message) })
    expect(JSON.stringify(failure) + failure?.stack).not.toContain('canary')
    expect(receiver.messages).toHaveLength(1)
  })

  it('is not delivered where nobody listens, and the reason names only the host', async () => {
    await receiver.close()
    const failure = await send().catch((error: unknown) => error as Error)
    const { host } = new URL(receiver.address)
    expect(failure?.message).toBe(`No response from the receiver: connection refused by ${host}.`)
    receiver = await startAlertReceiver()
  })
})
