import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createTerminal } from '../../../../cli/shell/terminal.ts'

/** A terminal and what was written to its streams. */
function recorded(isTTY: boolean) {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 100 })
  const stderr = new PassThrough()
  const terminal = createTerminal({ stdin: new PassThrough(), stdout, stderr })
  return { terminal, shown: () => [stdout, stderr].map((stream) => String(stream.read() ?? '')) }
}

describe('the output of a command', () => {
  it('goes to standard output, everything else to standard error', () => {
    const { terminal, shown } = recorded(false)
    terminal.result('The result.')
    terminal.note('A note.')
    expect(shown()).toEqual(['The result.\n', 'A note.\n'])
  })

  it.each([
    [true, '\x1b[H\x1b[2J\x1b[3JThe result.\n', 100],
    [false, 'The result.\n', undefined],
  ])('replaces what a terminal shows (%j)', (isTTY, text, columns) => {
    const { terminal, shown } = recorded(isTTY)
    terminal.refresh('The result.')
    expect([shown()[0], terminal.columns]).toEqual([text, columns])
  })

  it.each([
    [
      'a bar',
      ({ terminal }: ReturnType<typeof recorded>) =>
        terminal.progress('CL').show(1, 2, { state: 'now', pace: '' }),
    ],
    [
      'bars',
      ({ terminal }: ReturnType<typeof recorded>) =>
        terminal
          .progressBars()
          .show([{ title: 'CL', done: 1, total: 2, remark: { state: 'now', pace: '' } }]),
    ],
  ])('shows the progress as %s on standard error', (_, show) => {
    const output = recorded(false)
    show(output)
    expect(output.shown()).toEqual(['', expect.stringMatching(/^CL.*now\n$/)])
  })

  it('keeps the bytes of a document except on a terminal', async () => {
    const shown = [false, true].map(async (isTTY) => {
      const { terminal, shown } = recorded(isTTY)
      terminal.document('{"a":"\u009b"}')
      await terminal.output.write(Buffer.from('{"b":"\u202e"}'))
      return shown()[0]
    })
    expect(await Promise.all(shown)).toEqual([
      '{"a":"\u009b"}\n{"b":"\u202e"}',
      '{"a":"\\u009b"}\n{"b":"\\u202e"}',
    ])
  })

  it('never contains what a terminal obeys, except the commands of its own', () => {
    const { terminal, shown } = recorded(false)
    terminal.result('\u001b]0;a')
    terminal.note('\u009bb')
    expect(shown()).toEqual(['\\u001b]0;a\n', '\\u009bb\n'])
  })

  it('is written at the pace of its reader', async () => {
    const written: string[] = []
    const { output } = terminalTo((chunk, done) => {
      written.push(chunk)
      setImmediate(done)
    })
    await output.write('one\n')
    expect(written).toEqual(['one\n'])
  })

  it('is finished when everything was written', async () => {
    const waiting: (() => void)[] = []
    const terminal = terminalTo((_, done) => waiting.push(done))
    terminal.result('The result.')
    let isFinished = false
    const finished = terminal.output.finish().then(() => {
      isFinished = true
    })
    await new Promise(setImmediate)
    expect(isFinished).toBe(false)
    for (const done of waiting) done()
    await finished
  })

  it.each([
    ['EPIPE', 'write EPIPE', /^$/],
    ['ENOSPC', 'write ENOSPC', /Cannot write the result to standard output: no space is left\. .*incomplete/],
    ['EIO', 'write EIO', /standard output: the disk failed\. The result is incomplete/],
  ])(
    'ends with %s: a reader that left is no error, a disk that is full is one',
    async (code, message, expected) => {
      const terminal = terminalTo((_, done) =>
        done(Object.assign(new Error(message), { code, syscall: 'write' })),
      )
      terminal.result('The result.')
      const finished = await terminal.output.finish().catch((error: Error) => error.message)
      expect(finished ?? '').toMatch(expected)
      expect(terminal.output.failed.aborted).toBe(true)
      await expect(terminal.output.write('more')).rejects.toThrow(message)
    },
  )
})

/** A terminal whose standard output does this with what is written. */
function terminalTo(write: (chunk: string, done: (error?: Error) => void) => void) {
  const stdout = new Writable({ write: (chunk: Buffer, _, done) => write(String(chunk), done) })
  return createTerminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() })
}
