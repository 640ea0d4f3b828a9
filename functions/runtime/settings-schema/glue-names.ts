/** The name of a Glue database or table: lower-case letters, digits and _ only. */
export const glueName = (name: string) => name.toLowerCase().replaceAll('-', '_')

/** The Glue database of a deployment's snapshots and change sets. */
export const snapshotDatabase = (deployment: string) => `${glueName(deployment)}_snapshots`

/** The Glue database of its typed tables. */
export const tableDatabase = (deployment: string) => `${snapshotDatabase(deployment)}_tables`

/** The name of the table of an entity's change sets. */
export const changesTableName = (entity: string) => `${glueName(entity)}_changes`

/** Under which `longshore doctor --live` stores what it deletes again. No entity has this name. */
export const reservedEntity = 'longshore-live'

/** The entities whose tables would have the reserved name, or the same name as those of an earlier entity. */
export function findTableNameErrors(names: readonly unknown[]): { index: number; message: string }[] {
  return names.flatMap((name, index) => {
    if (typeof name === 'string' && haveSameTable(name, reservedEntity)) {
      const message = `'${name}' would have the same table name in Glue as ${reservedEntity}, which is reserved for longshore doctor --live; set athena to false`
      return [{ index, message }]
    }
    const earlier = names.slice(0, index).filter((other) => typeof other === 'string')
    // A repeated name is reported separately.
    if (typeof name !== 'string' || earlier.includes(name)) return []
    const other = earlier.find((other) => haveSameTable(name, other))
    if (other === undefined) return []
    const message = `'${name}' and '${other}' would have the same table name in Glue; keep one of them, or set athena to false`
    return [{ index, message }]
  })
}

function haveSameTable(one: string, other: string): boolean {
  const tables = [glueName(one), changesTableName(one)]
  return tables.includes(glueName(other)) || tables.includes(changesTableName(other))
}
