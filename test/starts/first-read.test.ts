import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { resolveConfig } from '../../lib/config.ts'
import { countText } from '../../local/count-documents.ts'
import { askOnTerminal, mayReadFirst } from '../../local/first-read.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { localCredentials } from '../../local/stand-in/model.ts'
import { startPlatform } from '../../local/stand-in/platform.ts'
import { Interrupted } from '../../operator/errors.ts'

const configuration = resolveConfig({
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
})

const real = (baseUrl: string) => ({ kind: 'real', baseUrl, credentials: localCredentials }) as const
const of = (baseUrl: string, change: object = {}) => ({
  configuration,
  platform: real(baseUrl),
  isAgreed: false,
  ask: undefined,
  ...change,
})

it('reads a platform on this machine, and what was agreed to, without a look', async () => {
  expect(await mayReadFirst(of('http://127.0.0.1:9'))).toBe(true)
  expect(await mayReadFirst(of('https://shop.invalid', { isAgreed: true }))).toBe(true)
  const empty = { ...configuration, entities: [] }
  expect(await mayReadFirst(of('https://shop.invalid', { configuration: empty }))).toBe(true)
})

it('counts the documents of the first entity', async () => {
  const platform = await startPlatform({ documents: { CL: makeDocuments(1_234) } })
  try {
    expect(await countText(configuration, real(platform.url))).toBe('CL has 1,234 documents.')
  } finally {
    await platform.close()
  }
})

it('asks before it reads, also if it cannot count', async () => {
  const ask = vi.fn<(question: string) => Promise<boolean>>(async () => false)
  expect(await mayReadFirst(of('https://shop.invalid', { ask }))).toBe(false)
  ask.mockResolvedValueOnce(true)
  expect(await mayReadFirst(of('https://shop.invalid', { ask }))).toBe(true)
  expect(ask).toHaveBeenCalledWith(
    expect.stringMatching(/^How many documents CL has is not known: .*\. Sync it now\? \(y\/N\) $/),
  )
})

it('asks nobody without a terminal', async () => {
  await expect(mayReadFirst(of('https://shop.invalid'))).rejects.toThrow(
    /^--upstream: How many documents CL has is not known: .*\. Without a terminal, npm start does not ask: add --yes to read them\.$/,
  )
})

it.each([
  ['y\n', true],
  ['yes\n', true],
  ['n\n', false],
  ['\n', false],
  ['\x04', false],
  ['\x03', new Interrupted('Interrupted. Nothing was read.')],
])('takes only a typed yes, and ends at Ctrl-C: %j', async (typed, expected) => {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })]
  const asked = askOnTerminal('Sync it now? (y/N) ', { stdin: input, stdout: output })
  input.write(typed)
  expect(await asked.catch((error: unknown) => error)).toEqual(expected)
})
