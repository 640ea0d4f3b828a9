import { fstatSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { CommandError } from '../../operator/errors.ts'
import { findFileFailure } from '../../operator/file-errors.ts'
import type { ProgressOutput } from '../../operator/text/progress.ts'
import { shownText } from './shown-text.ts'

export type StandardOutput = ReturnType<typeof standardOutput>

/** Where results go. Every write is awaited before the process exits, which would cut off what a pipe has not taken. */
export function standardOutput(stream: ProgressOutput) {
  const failed = new AbortController()
  let failure: NodeJS.ErrnoException | undefined
  let written = Promise.resolve()
  const fail = (error: NodeJS.ErrnoException) => {
    failure ??= error
    failed.abort()
  }
  stream.on('error', fail)
  const decoder = new StringDecoder('utf8')
  // Records of the platform may be cut anywhere.
  const shown = (bytes: string | Buffer) =>
    stream.isTTY && typeof bytes !== 'string' ? shownText(decoder.write(bytes)) : bytes
  return {
    /** `pipe` if a program reads what is written, at a time that the writer does not know. */
    kind: kindOf(stream),
    /** Aborted when the stream takes no more: the reader of a pipe has left, or a disk is full. */
    failed: failed.signal as AbortSignal,
    /** Resolves when the stream has taken the bytes. A terminal shows records without hidden characters. */
    write(bytes: string | Buffer): Promise<void> {
      const taken = new Promise<void>((done, refuse) => {
        if (failure) return refuse(failure)
        stream.write(shown(bytes), (error) => {
          if (!error) return done()
          fail(error)
          return refuse(failure)
        })
      })
      written = taken.catch(() => undefined)
      return taken
    },
    /** Resolves when everything was written. A reader that left is no error. Throws `CommandError`. */
    async finish() {
      await written
      if (failure && failure.code !== 'EPIPE') throw outputError(failure)
    },
  }
}

function outputError(cause: NodeJS.ErrnoException): CommandError {
  const failure = findFileFailure(cause)
  return new CommandError(
    `Cannot write the result to standard output: ${failure?.reason ?? cause.message}. The result is incomplete.`,
    { cause, ...(failure && { fix: failure.fix }) },
  )
}

/** Node connects a child process through sockets. */
function kindOf(stream: ProgressOutput & { readonly fd?: number }): 'pipe' | 'kept' {
  if (stream.fd === undefined) return 'kept'
  const stats = fstatSync(stream.fd)
  return stats.isFIFO() || stats.isSocket() ? 'pipe' : 'kept'
}
