import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSignatureError } from '../../local/embedded/signature.aws.ts'
import { pythonTools } from '../python-tools.ts'

const awscurl = await pythonTools('awscurl', new URL('awscurl-requirements.txt', import.meta.url))

const project = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (page: string) => readFileSync(`${project}/${page}`, 'utf8')

/** The function of the README that the examples use. */
const [callFunction] = /^ *call\(\) \{[^}]*\}/m.exec(textOf('README.md')) ?? []

/** The examples of all pages that start with a program, with their continued lines. */
const examplesOf = (program: string) =>
  globSync(['*.md', 'docs/*.md'], { cwd: project }).flatMap((page) =>
    [...textOf(page).matchAll(new RegExp(`^ *(${program} (?:.*\\\\\\n)*.*)`, 'gm'))].map(
      ([, example = '']) => [page, example] as const,
    ),
  )

const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
const sessionToken = 'a/session+token=='

/** What is wrong with the signature of each request since the last example. */
let received: { error: string | undefined; signed: string }[] = []
let server: Server
beforeAll(async () => {
  server = createServer((request, response) => void respond(request, response))
  async function respond(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request
    const body = await buffer(request)
    const hash = createHash('sha256').update(body).digest('hex')
    const given = { method, url, headers: { ...headers, 'x-amz-content-sha256': hash } }
    const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? []
    received.push({ error: await findSignatureError(given, keys), signed })
    response.end()
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(() => server.close())

async function run(script: string): Promise<typeof received> {
  received = []
  await promisify(execFile)('bash', ['-euc', script], {
    env: {
      PATH: `${awscurl}:${process.env['PATH']}`,
      API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    },
  })
  return received
}

const correct = [{ error: undefined, signed: expect.stringMatching(/host;.*x-amz-security-token/) }]

it.each(examplesOf('call'))('the examples with curl: %s: %s is signed correctly', async (_, example) => {
  expect(await run(`${callFunction}\n${example}`)).toEqual(correct)
})

it.skipIf(!awscurl).each(examplesOf('awscurl'))('%s: %s is signed correctly', async (_, example) => {
  expect(await run(example)).toEqual(correct)
})
