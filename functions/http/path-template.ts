/** The names in braces of a route's path: `/syncs/{entity}` has `entity`, `/{proxy+}` has `proxy`. */
export const parameterNames = (template: string): string[] =>
  [...template.matchAll(/\{([^}+]+)\+?\}/g)].map((match) => match[1] ?? '')

/** Matches what API Gateway matches, with a group for each parameter: one segment, or with `+` one or more. */
export function pathPattern(template: string): RegExp {
  const source = template
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? segmentsPattern(part) : part.replace(/[.*+?^$()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${source.join('')}$`)
}

const segmentsPattern = (parameter: string) => (parameter.endsWith('+}') ? '(.+)' : '([^/]+)')

/** A part of a path or query without its escapes; undefined if one is malformed. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
