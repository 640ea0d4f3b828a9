import { text } from 'node:stream/consumers'
import { isCancel, password } from '@clack/prompts'
import * as v from 'valibot'
import { Interrupted, UsageError } from './errors.ts'
import type { Terminal } from './terminal.ts'

export interface Keys {
  readonly appKey: string
  readonly appToken: string
}

/** Asks a person without showing what is typed, or reads standard input. */
export async function promptCredentials(terminal: Terminal): Promise<Keys> {
  if (!terminal.isInteractive) return parseKeys(await text(terminal.input))
  const appKey = await ask('The application key (…-API-AppKey)')
  return { appKey, appToken: await ask('The application token (…-API-AppToken)') }
}

async function ask(message: string): Promise<string> {
  const answer = await password({ message, output: process.stderr, validate: mistakeInKey })
  if (isCancel(answer)) throw new Interrupted('Nothing was changed.')
  return answer.trim()
}

/** What no HTTP header can carry is no key. Its value must not be told. */
function mistakeInKey(value = ''): string | undefined {
  return /^[\x21-\x7e]+$/.test(value.trim())
    ? undefined
    : 'must not be empty, nor have spaces or letters beyond ASCII'
}

const key = v.pipe(
  v.string(),
  v.trim(),
  v.check((value) => mistakeInKey(value) === undefined),
)
const keysSchema = v.object({ appKey: key, appToken: key })

/** `{"appKey":"…","appToken":"…"}`, or the key and the token on a line each. Throws `UsageError`. */
export function parseKeys(input: string): Keys {
  const [appKey, appToken, ...more] = input.trim().split(/\r?\n/)
  const isJson = input.trimStart().startsWith('{')
  const keys = v.safeParse(
    keysSchema,
    isJson ? parseJson(input) : more.length > 0 ? {} : { appKey, appToken },
  )
  if (keys.success) return keys.output
  throw new UsageError(
    'Without a terminal the keys are read from standard input: {"appKey":"…","appToken":"…"}, ' +
      'or the key and the token on a line each, neither empty nor with spaces in it.',
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
