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

  it('is written at the pace of its reader, and fails if that has ended', async () => {
    const written: string[] = []
    const stdout = new Writable({
      write(chunk: Buffer, _, done) {
        written.push(String(chunk))
        setImmediate(done, written.length > 1 ? new Error('EPIPE') : null)
      },
    })
    const terminal = createTerminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() })
    await terminal.write(Buffer.from('one\n'))
    expect([written, stdout.listenerCount('error')]).toEqual([['one\n'], 0])
    await expect(terminal.write(Buffer.from('two\n'))).rejects.toThrow('EPIPE')
  })
})
