import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { parseJson } from '../../functions/runtime/json-object.ts'
import type { KeyAndToken } from '../../operator/aws/secrets.aws.ts'
import { UsageError } from '../../operator/errors.ts'
import type { Terminal } from '../shell/terminal.ts'

/** Prompts without echo on a terminal, and reads standard input otherwise. */
export async function promptCredentials(terminal: Terminal): Promise<KeyAndToken> {
  if (!terminal.isInteractive) return parseEntry(await text(terminal.input))
  const ask = (message: string) => terminal.askSecret({ message, findError: errorIn })
  const appKey = await ask('App key (API-AppKey)')
  return { appKey, appToken: await ask('App token (API-AppToken)') }
}

/** Refuses what an HTTP header cannot carry. The message must not repeat the value. */
function errorIn(value: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(value) ? undefined : 'Enter a value of ASCII characters without spaces'
}

const part = v.pipe(
  v.string(),
  v.trim(),
  v.check((value) => errorIn(value) === undefined),
)
const schema = v.object({ appKey: part, appToken: part })

/** Reads `{"appKey":"…","appToken":"…"}`, or the app key and the app token on two lines. Throws `UsageError`. */
function parseEntry(input: string): KeyAndToken {
  const [appKey, appToken, ...rest] = input.trim().split(/\r?\n/)
  const isJson = input.trimStart().startsWith('{')
  const parsed = v.safeParse(schema, isJson ? parseJson(input) : rest.length > 0 ? {} : { appKey, appToken })
  if (parsed.success) return parsed.output
  throw new UsageError(
    'Cannot read the credentials from standard input. Send {"appKey":"…","appToken":"…"}, ' +
      'or the app key and the app token on two lines, without spaces.',
  )
}
