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
