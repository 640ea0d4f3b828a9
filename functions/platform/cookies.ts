import type { ResponseHeaders } from './response-headers.ts'

/**
 * The `Cookie` header of the next request of a scroll (RFC 6265 section 5.4), by which a load balancer finds the server
 * that has the scroll open. Undefined without cookies. Their path and end are those of the scroll.
 */
export function cookiesAfter(known: string | undefined, headers: ResponseHeaders): string | undefined {
  const cookies = new Map((known?.split('; ') ?? []).map((cookie) => [nameOf(cookie), cookie]))
  for (const text of [headers['set-cookie'] ?? []].flat()) {
    const [cookie = '', ...attributes] = text.split(';').map((part) => part.trim())
    if (attributes.some((attribute) => deletes.test(attribute))) cookies.delete(nameOf(cookie))
    else cookies.set(nameOf(cookie), cookie)
  }
  return [...cookies.values()].join('; ') || undefined
}

const deletes = /^(?:max-age=(?:0|-\d+)|expires=\w+, 01[ -]jan[ -](?:19)?70 .*)$/i

const nameOf = (cookie: string) => cookie.split('=', 1)[0] ?? ''
