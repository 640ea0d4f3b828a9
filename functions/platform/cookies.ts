import type { ResponseHeaders } from './response-headers.ts'

const maxBytes = 4_096

/**
 * The `Cookie` header of the next request of a scroll (RFC 6265 sections 5.2 to 5.4), by which a load balancer finds the
 * server that has the scroll open. Undefined without cookies. Of more than 4 KB the newest stay. `now`: epoch milliseconds.
 */
export function cookiesAfter(
  known: string | undefined,
  headers: ResponseHeaders,
  now: number,
): string | undefined {
  const cookies = new Map((known?.split('; ') ?? []).map((cookie) => [nameOf(cookie), cookie]))
  for (const text of [headers['set-cookie'] ?? []].flat()) {
    const [cookie = '', ...attributes] = text.split(';').map((part) => part.trim())
    const name = nameOf(cookie)
    if (name === '' || !cookie.includes('=')) continue
    cookies.delete(name)
    if (!attributes.some((attribute) => hasEnded(attribute, now))) cookies.set(name, cookie)
  }
  const header = () => [...cookies.values()].join('; ')
  while (header().length > maxBytes) cookies.delete([...cookies.keys()][0] ?? '')
  return header() || undefined
}

const nameOf = (cookie: string) => cookie.split('=', 1)[0] ?? ''

function hasEnded(attribute: string, now: number): boolean {
  const [, name = '', value = ''] = /^(max-age|expires)=(.*)$/i.exec(attribute) ?? []
  return name.toLowerCase() === 'expires' ? Date.parse(value) <= now : name !== '' && Number(value) <= 0
}
