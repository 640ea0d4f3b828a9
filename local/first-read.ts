import { createInterface } from 'node:readline'
import type { Configuration } from '../lib/config.ts'
import { Interrupted, UsageError } from '../operator/errors.ts'
import { countText, type RealPlatform } from './count-documents.ts'
import { isLoopbackHost } from './loopback.ts'

export interface FirstRead {
  readonly configuration: Configuration
  readonly platform: RealPlatform
  /** Whether it was agreed to before. */
  readonly isAgreed: boolean
  /** Asks on the terminal; undefined without one. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined
}

/** Asks whether the first entity of a real platform may be read. Throws `UsageError` without a terminal. */
export async function mayReadFirst({ configuration, platform, isAgreed, ask }: FirstRead): Promise<boolean> {
  const [entity] = configuration.entities
  if (isAgreed || !entity || isLoopbackHost(new URL(platform.baseUrl).host)) return true
  const found = await countText(configuration, platform)
  if (ask) return ask(`${found} Sync it now? (y/N) `)
  throw new UsageError(
    `--upstream: ${found} Without a terminal, npm start does not ask: add --yes to read them.`,
  )
}

/** Yes only if it is typed. Throws `Interrupted` at Ctrl-C. */
export function askOnTerminal(
  question: string,
  { stdin, stdout }: { stdin: NodeJS.ReadableStream; stdout: NodeJS.WritableStream } = process,
): Promise<boolean> {
  const terminal = createInterface({ input: stdin, output: stdout })
  return new Promise((resolve, reject) => {
    terminal.once('SIGINT', () => {
      reject(new Interrupted('Interrupted. Nothing was read.'))
      terminal.close()
    })
    terminal.once('close', () => resolve(false))
    terminal.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      terminal.close()
    })
  })
}
