import { type ResponseHeaders, readMediaType } from '../platform/response-headers.ts'
import { onOneLine, quotedBody, shorten } from './quote.ts'

interface HtmlPage {
  readonly headers: ResponseHeaders
  /** Decoded. */
  readonly body: Buffer
}

const htmlTypes: readonly string[] = ['text/html', 'application/xhtml+xml']

/** The tags by which the WHATWG's MIME Sniffing Standard (section 7.1) recognizes HTML, and others of such pages. */
const htmlStart =
  /^<(?:!doctype\s+html|html|head|title|body|meta|link|style|script|iframe|h[1-6]|center|div|font|table|p|a|b|br)\b/i

/** Whether a body is an HTML page, by how it begins, or by its type unless it begins like JSON. */
export function isHtmlPage({ headers, body }: HtmlPage): boolean {
  const start = body
    .toString('latin1', 0, 1_024)
    .replace(/^(?:\xef\xbb\xbf)?\s*(?:<(?:!--.*?--|\?xml.*?\?)>\s*)*/s, '')
  if (htmlStart.test(start)) return true
  return start !== '' && htmlTypes.includes(readMediaType(headers)) && !/^[[{"]/.test(start)
}

const maxTextLength = 100

/** An HTML page and its title in a clause: `an HTML page "Not found"`. */
export function describeHtmlPage(body: Buffer, redact: (text: string) => string): string {
  const text = htmlTextOf(body, redact)
  return `an HTML page${text && ` "${text}"`}`
}

/** The title of an HTML page, or else the beginning of its text, on one line and without markup. May be empty. */
function htmlTextOf(body: Buffer, redact: (text: string) => string): string {
  const html = quotedBody(body, redact)
  const [, title = ''] = /<title[^>]*>(.*?)<\/title/i.exec(html) ?? []
  const text = withoutMarkup(title) || withoutMarkup(html)
  // A credential may be written with entities.
  return shorten(redact(onOneLine(withoutEntities(text))).trim(), maxTextLength)
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(x[\da-f]{1,6}|\d{1,7})|([a-z]+));/gi,
    (entity, code: string, name: string) => {
      if (name) return entities.get(name) ?? entity
      const point = Number(`0${code}`)
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : '\ufffd'
    },
  )
}

const markup = /<(script|style)\b.*?<\/\1>|<!--.*?-->|<[^>]*>?/gi

const withoutMarkup = (html: string): string => html.replaceAll(markup, ' ').replaceAll(/\s+/g, ' ').trim()
