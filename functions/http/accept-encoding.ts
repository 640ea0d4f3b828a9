import { canonicalCoding } from '../upstream/canonical-coding.ts'

/** Whether a caller accepts a body in all of these content codings (RFC 9110 section 12.5.3). */
export const accepts = (acceptEncoding: string | undefined, codings: readonly string[]): boolean =>
  codings.every((coding) => weight(acceptEncoding, coding) > 0)

/** Whether a caller refuses a body without a content coding. */
export const refusesIdentity = (acceptEncoding: string | undefined): boolean =>
  weight(acceptEncoding, 'identity') === 0

/** Whether a caller prefers gzip to a body without a content coding; `*` alone prefers neither, and gzip is smaller. */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  const gzip = weight(acceptEncoding, 'gzip')
  return gzip > 0 && gzip >= weight(acceptEncoding, 'identity')
}

/**
 * The weight of a coding, from 0 (refused) to 1. By RFC 9110 a request without the header accepts any coding; we assume
 * a client that decodes none.
 */
function weight(acceptEncoding: string | undefined, coding: string): number {
  const weights = parse(acceptEncoding)
  const known = weights.get(coding) ?? weights.get('*')
  return known ?? (coding === 'identity' ? unlistedIdentity : 0)
}

/** `identity` is accepted unless it is refused, but every listed coding is preferred. */
const unlistedIdentity = 0.0001

function parse(acceptEncoding = ''): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const [, name = '', q = '1'] of acceptEncoding.matchAll(member)) {
    const coding = canonicalCoding(name)
    if (!weights.has(coding)) weights.set(coding, Number(q))
  }
  return weights
}

/** One member of the list; a member with a malformed weight is ignored. */
const member = /(?:^|,)[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*[qQ]=([01](?:\.\d{0,3})?)[ \t]*)?(?=,|$)/g
