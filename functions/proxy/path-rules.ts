import { ProblemError } from '../http/problem.ts'

/**
 * A path value as one segment of the upstream's path, encoded again.
 * `given` is as API Gateway has decoded it: everything but `%25`, which stays as it came.
 */
export function pathSegment(parameter: string, given: string | undefined): string {
  const value = (given ?? '').replaceAll('%25', '%')
  const wrong = whatIsWrong(value)
  if (wrong) {
    const detail = `The path parameter ${parameter} ${wrong}. It must be one segment: an identifier, percent-encoded where needed.`
    throw new ProblemError('invalid-request', detail, { parameter })
  }
  // Leaves ! ' ( ) * as they are: RFC 3986 section 3.3 allows them in a segment.
  return encodeURIComponent(value)
}

function whatIsWrong(value: string): string | undefined {
  if (value === '') return 'is empty'
  if (value === '.' || value === '..') return 'is a step within the path'
  if (/[/\\]/.test(value)) return 'holds a slash or a backslash'
  if (/\p{Cc}/u.test(value)) return 'holds a control character'
  // What a decoder leaves of bytes that are not UTF-8.
  if (!value.isWellFormed() || value.includes('\uFFFD')) return 'is not valid UTF-8'
  return undefined
}
