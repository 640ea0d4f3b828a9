/** The name of a Glue database or table: lower-case letters, digits and _ only. */
export const glueName = (name: string) => name.toLowerCase().replaceAll('-', '_')

/** The name of the table of an entity's change sets. */
export const changesTableName = (entity: string) => `${glueName(entity)}_changes`

/** What is wrong with the name of an entity next to the names of the entities before it. */
export function findTableNameMistake(name: string, earlier: readonly string[]): string | undefined {
  const isTaken = (other: string) =>
    glueName(other) === glueName(name) ||
    changesTableName(other) === glueName(name) ||
    glueName(other) === changesTableName(name)
  const other = earlier.find(isTaken)
  if (other === undefined) return undefined
  return `'${name}' and '${other}' would have the same table name in Glue; keep one of them, or set athena to false`
}
