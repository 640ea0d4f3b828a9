/** Throws an error that names the configured entities. */
export function configuredEntity<S extends { readonly name: string }>(
  entities: readonly S[],
  name: string,
): S {
  const entity = entities.find((configured) => configured.name === name)
  if (!entity) throw new Error(notConfigured(entities, name))
  return entity
}

export function notConfigured(entities: readonly { readonly name: string }[], name: string): string {
  const configured = entities.map((entity) => entity.name).join(', ') || 'none'
  return `The entity '${name}' is not configured. Configured entities: ${configured}.`
}
