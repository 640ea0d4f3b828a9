import { isLoopback } from '../../functions/runtime/settings-schema/loopback.ts'
import { describeValue } from '../../functions/runtime/settings-schema/schema-parts.ts'

/** What is wrong with the platform's address. A value that contains credentials is not repeated. */
export function findBaseUrlError(value: string): string | undefined {
  if (hasUserInfo(value)) return "contains a user name or password; use the origin only, 'https://host'"
  const placeholder = findPlaceholder(value)
  if (placeholder !== undefined)
    return `${describeValue(value)} contains the placeholder ${placeholder}; replace it`
  const url = parseWebUrl(value)
  if (!url)
    return `${describeValue(value)} is not an https URL without a path, such as 'https://shop.example.com'`
  const schemeError = findSchemeError(url, value)
  const origin = schemeError ? `https://${url.host}` : url.origin
  if (!/^[^:]+:\/\/[^/?#]+\/?$/.test(value))
    return `${describeValue(value)} contains more than scheme, host and port; use '${origin}'`
  return schemeError
}

/** What is wrong with the issuer of tokens. The value is used as written, because tokens must match it exactly. */
export function findIssuerError(value: string): string | undefined {
  if (hasUserInfo(value))
    return 'contains a user name or password; use the issuer exactly as in the `iss` claim of its tokens'
  const placeholder = findPlaceholder(value)
  if (placeholder !== undefined)
    return `${describeValue(value)} contains the placeholder ${placeholder}; replace it`
  const url = parseWebUrl(value)
  if (!url) return `${describeValue(value)} is not an https URL`
  if (/[?#]/.test(value)) return `${describeValue(value)} has a query or a fragment; remove it`
  return findSchemeError(url, value)
}

/** What is wrong with an origin that browsers may call from (RFC 6454 section 6.2, or `*`). */
export function findOriginError(value: string): string | undefined {
  if (value === '*') return undefined
  const url = parseWebUrl(value)
  if (url && url.origin !== value) return `${describeValue(value)} is not an origin; use '${url.origin}'`
  if (url || /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d{1,5})?$/.test(value)) return undefined
  return `${describeValue(value)} is neither an origin, such as 'https://app.example.com', nor '*'`
}

/** What is wrong with the path of the platform's search. */
export function findSearchPathError(value: string): string | undefined {
  if (!value.startsWith('/') || value.startsWith('//'))
    return `${describeValue(value)} must begin with exactly one /`
  if (!value.includes('{data_entity}')) return `${describeValue(value)} does not contain {data_entity}`
  // RFC 3986 section 3.3
  const plain = value.replaceAll('{data_entity}', 'x')
  if (!/^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})+$/.test(plain) || /\/\.{1,2}(?:\/|$)/.test(plain))
    return `${describeValue(value)} is not a path without a query, such as '/api/dataentities/{data_entity}/search'`
  return undefined
}

function findSchemeError(url: URL, value: string): string | undefined {
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined
  return `${describeValue(value)} uses http, which only a loopback host may use; use https`
}

function parseWebUrl(value: string): URL | undefined {
  return /^https?:\/\/[^\s\\/]/i.test(value) && !/[\s\\]/.test(value)
    ? (URL.parse(value) ?? undefined)
    : undefined
}

/** `{account}`, `<account>` or `${ACCOUNT}`: a URL parser accepts some of them as a host name. */
const findPlaceholder = (value: string) => /\$?\{[^}]*\}|<[^>]*>/.exec(value)?.[0]

const hasUserInfo = (value: string) => /^[^/]*:\/\/[^/?#]*@/.test(value)
