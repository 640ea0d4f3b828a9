import { refuseParameter } from '../../http/result.ts'

/**
 * A path value as one percent-encoded segment of the platform's path. `value` is as API Gateway decoded it: not always
 * completely, and truncated at a decoded `?` (captures of the service in hotsock/voker, pull request 8). Characters that
 * could be such a remainder are refused. Throws `ProblemError`.
 */
export function pathSegment(parameter: string, value = ''): string {
  const error = errorIn(value)
  if (error)
    refuseParameter(
      parameter,
      `The path parameter ${parameter} ${error}. It must be one path segment: an identifier, percent-encoded where needed.`,
    )
  // Leaves ! ' ( ) * unchanged: RFC 3986 section 3.3 allows them in a segment.
  return encodeURIComponent(value)
}

function errorIn(value: string): string | undefined {
  if (value === '') return 'is empty'
  if (value === '.' || value === '..') return 'is a relative path segment'
  const [forbidden] = /[/\\?#%]/.exec(value) ?? []
  if (forbidden) return `contains the character ${forbidden}`
  if (/\p{Cc}/u.test(value)) return 'contains a control character'
  // U+FFFD is what a decoder puts in place of bytes that are not UTF-8.
  if (!value.isWellFormed() || value.includes('\uFFFD')) return 'is not valid UTF-8'
  return undefined
}
