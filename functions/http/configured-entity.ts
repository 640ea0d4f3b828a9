import { ProblemError } from './problem.ts'

/** The configured entity with this name. Throws `ProblemError`, which names the configured ones, if there is none. */
export function configuredEntity<S extends { readonly name: string }>(
  entities: readonly S[],
  name: string,
): S {
  const entity = entities.find((configured) => configured.name === name)
  if (!entity) throw new ProblemError('not-found', notConfigured(entities, name))
  return entity
}

export function notConfigured(entities: readonly { readonly name: string }[], name: string): string {
  const configured = entities.map((entity) => entity.name).join(', ') || 'none'
  return `The entity '${name}' is not configured. Configured entities: ${configured}.`
}
