import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../cli/run.ts'
import { createTerminal, type Terminal } from '../cli/shell/terminal.ts'
import { noteCommand } from './drills/note-command.ts'
import { shortPause } from './pauses.ts'

export interface Surroundings {
  /** Standard input. */
  readonly input?: string
  /** What a person does at a terminal; undefined for a script. */
  readonly person?: Partial<Terminal> | undefined
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal | undefined
}

/** What a command printed. */
export interface CommandEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command that was started in this process. Its output can be read while it runs. */
export interface StartedCommand {
  readonly stdout: { readonly text: string }
  readonly stderr: { readonly text: string }
  readonly ended: Promise<CommandEnd>
}

/** Starts a command in this process, with its environment and its working directory. */
export function startCommand(
  args: readonly string[],
  { input = '', person, signal = new AbortController().signal }: Surroundings = {},
): StartedCommand {
  noteCommand(args.join(' '))
  const [stdout, stderr] = [{ text: '' }, { text: '' }]
  const streams = { stdin: Readable.from([input]), stdout: writerTo(stdout), stderr: writerTo(stderr) }
  const script = createTerminal(streams)
  const terminal = person ? { ...script, isInteractive: true, ...person } : script
  const running = runCommandLine(args, { terminal, pause: shortPause, signal })
  const ended = running.then((code) => ({ code, stdout: stdout.text, stderr: stderr.text }))
  return { stdout, stderr, ended }
}

function writerTo(output: { text: string }): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      output.text += String(chunk)
      done()
    },
  })
}
