import { describeValue } from './schema-parts.ts'

/** Glue allows 255 bytes. */
const maxNameLength = 255

/** The name of a column in the table: `createdIn` becomes `created_in`, `SKUCode` becomes `skucode`. */
export function columnName(written: string): string {
  return written
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** What is wrong with the name of a column, as the configuration has it. */
export function findColumnNameError(written: string): string | undefined {
  const name = columnName(written)
  if (name.length > maxNameLength)
    return `gives a column name of ${name.length} characters; use at most ${maxNameLength}, and name the member of the document in 'from'`
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return undefined
  return `${describeValue(name)} is not the name of a column: lower-case letters, digits and _, not beginning with a digit; use ${usableName(name)}: { from: ${describeValue(pathText(written))}, type: … }`
}

function usableName(name: string): string {
  const usable = name.replaceAll(/[^a-z0-9_]+/g, '_').slice(0, 40)
  return /^[a-z_]/.test(usable) ? usable : `_${usable}`
}

/** A path that was written as a name stays a path. */
const pathText = (written: string) => (findPathError(written) ? 'member' : written)

/** The member names of a path: a dot separates them, and `\.` is a dot inside a name. */
export const membersOf = (path: string): string[] =>
  path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'))

export function findPathError(path: string): string | undefined {
  if (path === '') return "is empty; name the member, such as 'address.city'"
  if (!membersOf(path).includes('')) return undefined
  return `${describeValue(path)} has an empty member name; use a path such as 'address.city', and write a dot inside a member name as '\\\\.'`
}
