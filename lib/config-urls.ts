import { shown } from './config-mistakes.ts'

/** What is wrong with the platform's address, or nothing. A value with credentials in it is not shown. */
export function baseUrlMistake(value: string): string | undefined {
  if (hasUserInfo(value)) return "carries a user name or password; right is the origin alone, 'https://host'"
  const url = webUrl(value)
  if (!url) return `${shown(value)} is not an https URL without path, such as 'https://shop.example.com'`
  if (!/^[^:]+:\/\/[^/?#]+\/?$/.test(value))
    return `${shown(value)} has more than scheme, host and port; right is '${url.origin}'`
  return insecure(url, value)
}

/** What is wrong with the issuer of tokens, or nothing. It stays as written: tokens must name it letter by letter. */
export function issuerMistake(value: string): string | undefined {
  if (hasUserInfo(value)) return 'carries a user name or password; right is the issuer as its tokens name it'
  const url = webUrl(value)
  if (!url) return `${shown(value)} is not an https URL`
  if (/[?#]/.test(value)) return `${shown(value)} has a query or fragment, which an issuer has not`
  return insecure(url, value)
}

/** What is wrong with an origin that browsers may call from, or nothing (RFC 6454 section 6.2, or `*`). */
export function originMistake(value: string): string | undefined {
  if (value === '*') return undefined
  const url = webUrl(value)
  if (url && url.origin !== value) return `${shown(value)} is not an origin; right is '${url.origin}'`
  if (url || /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d{1,5})?$/.test(value)) return undefined
  return `${shown(value)} is not an origin, such as 'https://app.example.com', and not '*'`
}

/** What is wrong with the path of the platform's search, or nothing. */
export function searchPathMistake(value: string): string | undefined {
  if (!value.startsWith('/') || value.startsWith('//')) return `${shown(value)} does not begin with one /`
  if (!value.includes('{data_entity}')) return `${shown(value)} does not contain {data_entity}`
  // RFC 3986 section 3.3
  const plain = value.replaceAll('{data_entity}', 'x')
  if (!/^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})+$/.test(plain) || /\/\.{1,2}(?:\/|$)/.test(plain))
    return `${shown(value)} is not a path without query, such as '/api/dataentities/{data_entity}/search'`
  return undefined
}

/** 127.0.0.0/8, ::1 and localhost; the name as `URL` gives it. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function insecure(url: URL, value: string): string | undefined {
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined
  return `${shown(value)} is http, which only a loopback host may be; right is https`
}

function webUrl(value: string): URL | undefined {
  return /^https?:\/\/[^\s\\/]/i.test(value) && !/[\s\\]/.test(value)
    ? (URL.parse(value) ?? undefined)
    : undefined
}

const hasUserInfo = (value: string) => /^[^/]*:\/\/[^/?#]*@/.test(value)
