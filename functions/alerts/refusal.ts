import { decodedPart } from '../http/path-template.ts'
import { parseJson } from '../runtime/json-object.ts'
import type { AlertType } from '../runtime/settings.ts'
import { quotedBody, shorten } from '../upstream/quote.ts'
import { redact } from '../upstream/redact.ts'

export interface ReceiverResponse {
  readonly status: number
  /** Its beginning. */
  readonly body: Buffer
}

/** A receiver did not accept a message. The text contains neither the path nor the query of its address. */
export class DeliveryError extends Error {
  override readonly name: string = 'DeliveryError'
}

/** A receiver did not accept the content of a message. It may accept another one. */
export class ContentRefused extends DeliveryError {
  override readonly name = 'ContentRefused'
}

const maxQuoted = 200

/** Why a receiver did not accept a message; undefined if it did. */
export function deliveryErrorOf(
  { type, url }: { readonly type: AlertType; readonly url: URL },
  { status, body }: ReceiverResponse,
): DeliveryError | undefined {
  const text = body.toString().trim()
  const isReported = status === 200 && reportsFailure(type, text)
  if (status >= 200 && status < 300 && !isReported) return undefined
  const read = quotedBody(body, (quoted) => redact(quoted, partsOf(url)))
  const quoted = shorten(read, maxQuoted)
  const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  const reason = `The receiver at ${url.host} responds with ${status}${hint}${quoted && `: ${quoted}`}`
  const message = /[.…]$/.test(reason) ? reason : `${reason}.`
  return isReported || [400, 413, 422].includes(status)
    ? new ContentRefused(message)
    : new DeliveryError(message)
}

/** Slack names its errors like `invalid_blocks`. A page of HTML is the login of a proxy. */
const failures: Readonly<Record<AlertType, RegExp>> = {
  slack: /^[a-z]+(?:_[a-z]+)+$|\b(?:errors?|failed|failure)\b|^<(?:!doctype|html)/i,
  teams:
    /\b(?:errors?|failed|failure|invalid|bad|required|denied|too \w+|unable|could not|not found|disabled|exceed\w*|expired|throttled)\b|^<(?:!doctype|html)/i,
  webhook: /^(?:error|fail)/i,
}

function reportsFailure(type: AlertType, text: string): boolean {
  const json = parseJson(text)
  if (typeof json === 'string') return failures[type].test(json)
  if (typeof json !== 'object' || json === null) return failures[type].test(text)
  return [json].flat().some((one) => Object.entries(Object(one)).some(isFailure))
}

function isFailure([name, value]: readonly [string, unknown]): boolean {
  if (/^(?:ok|success)$/i.test(name)) return /^false$/i.test(String(value))
  if (/^(?:status|(?:status_?)?code|result)$/i.test(name))
    return /^(?:error|fail|[45]\d\d$)/i.test(String(value))
  // An empty list and a zero are no error.
  return /^err(?:or)?(?:s|_?code|_?message)?$/i.test(name) && Number(value) !== 0
}

/** What a response may quote of an address: anyone who has it can send messages. */
function partsOf({ href, pathname, search, searchParams }: URL): string[] {
  const segments = [...pathname.split('/'), ...search.slice(1).split('&'), ...searchParams.values()]
  // Not words that occur in other texts.
  const secrets = segments.filter((part) => part.length >= 16 || (part.length >= 6 && /\d/.test(part)))
  return [href, `${pathname}${search}`, pathname, search, ...secrets]
    .flatMap((part) => [part, decodedPart(part) ?? part, part.replaceAll('&', '&amp;')])
    .filter((part) => part.length > 1 && /^[\x20-\x7e]+$/.test(part))
}
