import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { messagePage, signedInPage } from '../../../../console/server/respond.ts'
import {
  ReadyResponse,
  type Routes,
  readJsonBody,
  respondToRoute,
  wholeNumberParameter,
} from '../../../../console/server/routes.ts'
import { ProblemError } from '../../../../functions/http/result.ts'
import { CommandError } from '../../../../operator/errors.ts'

const fail = (error: Error) => async () => Promise.reject(error)
const routes: Routes = {
  'GET /a/{x}': async ({ path, query, body }) => [path('x'), query.get('q'), path('y'), body ?? null],
  'GET /a/b/{x}': async ({ path }) => ['b', path('x')],
  'POST /a/{x}': async ({ body }) => body,
  'GET /file': async () => new ReadyResponse({ status: 206, body: 'text' }),
  'GET /problem': fail(new ProblemError('not-found', 'No such run.')),
  'GET /refused': fail(new CommandError('In progress.', { fix: 'wait' })),
  'GET /plain': fail(new CommandError('In progress.')),
  'GET /broken': fail(new Error('socket')),
}

it.each<[line: string, status: number, body: unknown]>([
  ['GET /a/1?q=2', 200, ['1', '2', '', null]],
  ['GET /a/x%2Fy', 200, ['x/y', null, '', null]],
  ['GET /a/b/c', 200, ['b', 'c']],
  ['POST /a/1', 200, { sent: true }],
  ['GET /a/%E0%A4%A', 404, { message: 'Not found.' }],
  ['PUT /a/1', 404, { message: 'Not found.' }],
  ['GET /a', 404, { message: 'Not found.' }],
  ['GET /a/c/d', 404, { message: 'Not found.' }],
  ['GET /problem', 404, { message: 'No such run.' }],
  ['GET /refused', 409, { message: 'In progress.', fix: 'wait' }],
  ['GET /plain', 409, { message: 'In progress.' }],
  ['GET /broken', 502, { message: 'Error: socket' }],
])('the response to %s is %i', async (line, status, body) => {
  const [method = '', path = ''] = line.split(' ')
  const url = new URL(`http://console/console/api${path}`)
  const response = await respondToRoute(routes, { method, url }, async () => ({ sent: true }))
  expect([response.status, response.headers, JSON.parse(response.body as string)]).toEqual([
    status,
    { 'content-type': 'application/json' },
    body,
  ])
})

it('sends what a route has ready', async () => {
  const url = new URL('http://console/console/api/file')
  const response = await respondToRoute(routes, { method: 'GET', url }, () => expect.fail('read a body'))
  expect(response).toEqual({ status: 206, body: 'text' })
})

const request = (text: string, type?: string) =>
  Object.assign(Readable.from([text]), { headers: { 'content-type': type } }) as never

it.each([
  ['{"a":1}', 'application/json', { a: 1 }],
  ['[]', 'application/json; charset=utf-8', []],
  [JSON.stringify('x'.repeat(9_998)), 'application/json', 'x'.repeat(9_998)],
])('reads a body as JSON (%#)', async (text, type, body) => {
  expect(await readJsonBody(request(text, type))).toEqual(body)
})

it.each([
  ['{}', undefined, 'unsupported-media-type', 'Send application/json.'],
  ['{}', 'text/plain', 'unsupported-media-type', 'Send application/json.'],
  ['{}', 'text/application/json', 'unsupported-media-type', 'Send application/json.'],
  ['{', 'application/json', 'invalid-request', 'The body is not JSON.'],
  [JSON.stringify('x'.repeat(9_999)), 'application/json', 'invalid-request', 'The body is too large.'],
])('refuses another body (%#)', async (...row) => {
  const [text, type, problem, message] = row
  await expect(readJsonBody(request(text, type))).rejects.toMatchObject({ problem, message })
})

it('reads characters that arrive in parts', async () => {
  const parts = Readable.from([Buffer.from('"ü"').subarray(0, 2), Buffer.from('"ü"').subarray(2)])
  const sent = Object.assign(parts, { headers: { 'content-type': 'application/json' } }) as never
  expect(await readJsonBody(sent)).toBe('ü')
})

it('shows a message as text, and continues at / with the cookie', () => {
  expect(messagePage(403, 'a<b>&')).toMatchObject({
    status: 403,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Longshore console</title><p>a&lt;b>&amp;</p></html>\n',
  })
  expect(signedInPage('c=1')).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'c=1' },
    body: expect.stringMatching(
      /<meta http-equiv="refresh" content="0; url=\/">.*<p>Opening the console…<\/p>/,
    ) as string,
  })
})

it.each([
  [null, 0],
  ['0', 0],
  ['50', 50],
  ['999999999', 999_999_999],
])('the position %j is %i', (text, position) => expect(wholeNumberParameter(text)).toBe(position))

it.each(['', '-1', '1.5', '1x', 'x1', '1000000000'])('the position %j is refused', (text) => {
  expect(() => wholeNumberParameter(text)).toThrow(
    new ProblemError('invalid-request', 'A position is not a whole number.'),
  )
})
