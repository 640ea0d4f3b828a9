import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { promptCredentials } from '../../../../cli/credentials/prompt.ts'
import { createTerminal, type Terminal } from '../../../../cli/shell/terminal.ts'
import { readInstancePath } from '../../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../../operator/errors.ts'

it.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [undefined, undefined, false],
])('asks only if input (%j) and errors (%j) are a terminal', (input, errors, expected) => {
  const stream = (isTTY: boolean | undefined) => Object.assign(new PassThrough(), { isTTY: isTTY ?? false })
  const streams = { stdin: stream(input), stdout: new PassThrough(), stderr: stream(errors) }
  expect(createTerminal(streams).isInteractive).toBe(expected)
})

it('finds the npm start of this checkout for 1 and true', () => {
  expect(readInstancePath('true')).toBe(readInstancePath('1'))
  expect(readInstancePath('1')).toMatch(/\.longshore\/local\.json$/)
})

describe('a person at a terminal', () => {
  const [enter, interrupt] = ['\r', '\x03']

  /** What a prompt returns or fails with for these keys, and what it shows. */
  async function answer(keys: readonly string[], prompt: (terminal: Terminal) => Promise<unknown>) {
    const [stdin, stderr] = [new PassThrough(), new PassThrough()]
    const screen = Object.assign(stderr, { isTTY: true, columns: 200, rows: 50 })
    const keyboard = Object.assign(stdin, { isTTY: true, setRawMode: () => undefined })
    const terminal = createTerminal({ stdin: keyboard, stdout: new PassThrough(), stderr: screen })
    const answered = prompt(terminal).catch((error: unknown) => failureOf(error))
    for (const key of keys) {
      keyboard.write(key)
      await new Promise((done) => setTimeout(done, 5))
    }
    return { answer: await answered, shown: String(screen.read()) }
  }

  const findError = (text: string) => (text === 'no' ? 'Not this one' : undefined)
  const ask = (terminal: Terminal) => terminal.ask({ message: 'Name', initial: 'N', findError })
  const confirm = (terminal: Terminal) => terminal.confirm('Replace it?')
  const nothing = { kind: 'interrupted', message: 'Interrupted. Nothing was changed.' }

  it.each<
    [name: string, keys: string[], prompt: (terminal: Terminal) => Promise<unknown>, expected: unknown]
  >([
    ['accepts the answer to start from', [enter], ask, 'N'],
    ['adds to it, without white space around it', ['a', ' ', enter], ask, 'Na'],
    ['leaves a question', [interrupt], ask, nothing],
    ['agrees', ['y', enter], confirm, true],
    ['declines', ['n', enter], confirm, false],
    ['declines with Enter alone', [enter], confirm, false],
    ['leaves a yes-or-no question', [interrupt], confirm, { kind: 'interrupted', message: 'Interrupted.' }],
    ['leaves a secret question', [interrupt], promptCredentials, nothing],
  ])('%s', async (...[, keys, prompt, expected]) => {
    expect((await answer(keys, prompt)).answer).toEqual(expected)
  })

  it('sees an example while nothing is entered', async () => {
    const example = (terminal: Terminal) => terminal.ask({ message: 'Name', placeholder: 'shop', findError })
    expect((await answer(['a', enter], example)).shown).toMatch(/s.*hop/)
    const { shown } = await answer(['a', enter], (terminal) => terminal.ask({ message: 'Name', findError }))
    expect(shown).not.toMatch(/hop|undefined/)
  })

  it('may enter nothing, and white space does not hide an error', async () => {
    const seen: string[] = []
    const question = { message: 'Name', findError: (text: string) => void seen.push(text) }
    await answer([enter], (terminal) => terminal.ask(question))
    await answer(['a', ' ', enter], (terminal) => terminal.ask(question))
    await answer([enter], (terminal) => terminal.askSecret(question))
    expect(new Set(seen)).toEqual(new Set(['', 'a']))
  })

  it('is asked again after an invalid answer', async () => {
    const again = (terminal: Terminal) => terminal.ask({ message: 'Name', findError })
    const { answer: given, shown } = await answer(['no', enter, 'w', enter], again)
    expect([given, shown]).toEqual(['now', expect.stringContaining('Not this one')])
  })

  it('enters app key and app token, which are not shown', async () => {
    const keys = ['k3y ', enter, 't0 ken', enter, '\x7f'.repeat(4), 'ken', enter]
    const { answer: given, shown } = await answer(keys, promptCredentials)
    expect(given).toEqual({ appKey: 'k3y', appToken: 't0ken' })
    expect(shown).toContain('App key (API-AppKey)')
    expect(shown).toContain('App token (API-AppToken)')
    expect(shown).toContain('a value of ASCII characters without spaces')
    expect(shown).not.toMatch(/k3y|t0/)
  })
})
