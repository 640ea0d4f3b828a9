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

/** By its first line, since testers send back what they receive. A page of HTML is the login of a proxy. */
const failure =
  /^(?!"?[[{]).*\b(?:errors?|failed|failure|\w*throttled|expired|disabled|removed|deleted|retired|blocked|rejected|denied|forbidden|unauthori[sz]ed|unavailable|invalid|bad|required|too \w+|unable|could not|not found|timed out|exceed\w*|HTTP (?:status )?[45]\d\d)\b|^<(?:!doctype|html)/i
/** Slack names its errors like `invalid_blocks`. */
const failureOfSlack = new RegExp(`^[a-z]+(?:_[a-z]+)+$|^ratelimited$|${failure.source}`, 'i')
const failures = { slack: failureOfSlack, teams: failure, webhook: /^(?:error|fail)/i }

/** A member of JSON and its value. An empty list or object, and a zero, are no error; the code 20000 is a success. */
const failedMember =
  /^(?:(?:ok|success|isSuccess\w*):(?:false|0|no)|(?:status|(?:status_?)?code|result|state|type):(?:(?:error|fail|invalid|reject|denied).*|[45]\d\d)|(?:status_?)?code:(?![12]?0+$)\d{4,}|(?:(?:is|has)_?)?err(?:or)?(?:s|_?code|_?message)?:(?!(?:[0 ]*|false|none|ok|success|null|\[\]|\{\})$).*)$/is

function reportsFailure(type: AlertType, text: string): boolean {
  const json = parseJson(text)
  if (typeof json === 'string') return failures[type].test(json)
  if (typeof json !== 'object' || json === null) return failures[type].test(text)
  const members = [json].flat().flatMap((one) => Object.entries(Object(one)))
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return members.some(([name, value]) => failedMember.test(`${name}:${textOf(value)}`))
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
