import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listen, type Served } from '../../../local/embedded/listen.ts'
import { findLocalInstance, useLocalServices } from '../../../operator/deployment/local-instance.ts'
import { failureOf } from '../../../operator/errors.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()
let server: Served
beforeAll(async () => {
  server = await listen(
    createServer(({ url }, response) => {
      response.writeHead(url === '/local.json' ? 200 : 404).end('{"startedAt":"now"}')
    }),
  )
})
afterAll(() => server.close())

const instance = (apiUrl: string, startedAt = 'now') =>
  JSON.stringify({ startedAt, apiUrl, environment: { AWS_REGION: 'r' } })
const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string
const notRunning = (message: RegExp) => ({ message: matching(message), fix: matching(/: npm start$/) })
const ended = notRunning(/^npm start is not running.* has ended\.$/)
const foreign = {
  message: matching(/ was not written by npm start\.$/),
  fix: matching(/^set LONGSHORE_LOCAL /),
}

it.each<[name: string, file: () => string | undefined, expected: object]>([
  ['is running', () => instance(server.endpoint), { startedAt: 'now', apiUrl: matching(/^http/) }],
  ['wrote no file', () => undefined, notRunning(/^npm start is not running: .*none was not found\.$/)],
  ['has ended', () => instance('http://127.0.0.1:9'), ended],
  ['has ended before another one started', () => instance(server.endpoint, 'before'), ended],
  ['has ended before another program started', () => instance(`${server.endpoint}/other`), ended],
  ['did not write JSON', () => 'x', foreign],
  ['did not write the file', () => '{}', foreign],
])('an npm start that %s is found or explained', async (_, file, expected) => {
  const text = file()
  const path = join(folder, text === undefined ? 'none' : 'instance.json')
  if (text !== undefined) writeFileSync(path, text)
  expect(await findLocalInstance(path).catch((error: unknown) => failureOf(error))).toMatchObject(expected)
})

it('points AWS clients at the embedded services and at nothing else', () => {
  vi.stubEnv('AWS_PROFILE', 'own')
  useLocalServices({ environment: { AWS_REGION: 'r' } } as never)
  const names = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
  expect([names, process.env['HOME']]).toEqual([['AWS_REGION'], expect.any(String)])
})
