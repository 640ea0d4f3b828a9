import * as v from 'valibot'
import { columnName, findColumnNameError, findPathError, membersOf } from './column-name.ts'
import type { ColumnType, ColumnTypeText } from './column-type.ts'
import { columnTypeOf, columnTypesText, findTypeError } from './column-type.ts'
import { describeValue, oneOf, pathItem, plainObject, primitive, strictObject } from './schema-parts.ts'

/** A column of an entity's table. */
export interface Column {
  /** The name in the table, such as `created_in`. */
  readonly name: string
  /** The member names that lead to the value, such as `['address', 'city']`. */
  readonly from: readonly string[]
  readonly type: ColumnType
}

export type { ColumnType } from './column-type.ts'

interface ColumnObject {
  /** The path of member names, separated by dots. The column's name if absent. */
  readonly from?: string | undefined
  readonly type: ColumnTypeText
  /** Stores the SHA-256 of the text, a pseudonym. Only with `string`. */
  readonly hash?: 'sha256' | undefined
}

/** Columns by name, or names of columns of strings. */
export type ColumnsInput = Readonly<Record<string, ColumnTypeText | ColumnObject>> | readonly string[]

const columnType = v.pipe(
  primitive<ColumnTypeText>('string', `a type: ${columnTypesText}`, findTypeError),
  v.transform(columnTypeOf),
  v.description(`a type: ${columnTypesText}`),
)

const columnObject = v.pipe(
  strictObject({
    from: v.optional(primitive<string>('string', "a path of members, such as 'address.city'", findPathError)),
    type: columnType,
    hash: v.optional(oneOf('sha256')),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { hash, type } = dataset.value
    if (hash && type.kind !== 'string')
      addIssue({
        message: `applies only to columns of type string, but this one is ${type.kind}; use type: 'string', or remove hash`,
        path: [pathItem(dataset.value, 'hash')],
      })
  }),
  v.transform(({ from, type, hash }) => ({
    from,
    type: type.kind === 'string' && hash ? { kind: 'string' as const, hash } : type,
  })),
)

type ColumnDefinition = { readonly from: string | undefined; readonly type: ColumnType }

const definition = v.lazy((input): v.GenericSchema<unknown, ColumnDefinition> => {
  if (typeof input === 'object' && input !== null)
    return columnObject as v.GenericSchema<unknown, ColumnDefinition>
  return v.pipe(
    columnType as v.GenericSchema<unknown, ColumnType>,
    v.transform((type) => ({ from: undefined, type })),
  )
})

const byName = v.pipe(
  plainObject("an object of columns, such as { id: 'string' }, or a list of names"),
  // `v.record` drops members named `prototype` or `constructor`.
  v.rawTransform(({ dataset: { value }, addIssue }): readonly Column[] => {
    const names = Object.keys(value)
    for (const { index, message } of findNameErrors(names))
      addIssue({ message, path: [pathItem(value, names[index] as string)] })
    return Object.entries(value).flatMap(([name, input]) => {
      const { success, output, issues = [] } = v.safeParse(definition, input)
      for (const { message, path = [] } of issues)
        addIssue({ message, path: [pathItem(value, name), ...path] })
      return success ? [columnOf(name, output)] : []
    })
  }),
)

const listOfNames = v.pipe(
  v.array(primitive<string>('string', "the name of a column, such as 'city'")),
  v.rawTransform(({ dataset: { value: names }, addIssue }): readonly Column[] => {
    for (const { index, message } of findNameErrors(names))
      addIssue({ message, path: [pathItem(names, index)] })
    return names.map((name) => columnOf(name, { from: undefined, type: { kind: 'string' } }))
  }),
)

export const columnsSchema = v.pipe(
  v.lazy((input) => (Array.isArray(input) ? listOfNames : byName)) as v.GenericSchema<
    ColumnsInput,
    readonly Column[]
  >,
  v.check(
    (columns) => columns.length > 0,
    "is empty; add a column, or omit 'columns' if the entity needs no table",
  ),
)

const columnOf = (name: string, { from, type }: ColumnDefinition): Column => ({
  name: columnName(name),
  from: membersOf(from ?? name),
  type,
})

/** Names in the configuration that no column can have, or that an earlier column has. */
function findNameErrors(written: readonly string[]): { index: number; message: string }[] {
  const names = written.map(columnName)
  return written.flatMap((name, index) => {
    const message = findColumnNameError(name) ?? findRepetition(written, names, index)
    return message ? [{ index, message }] : []
  })
}

function findRepetition(
  written: readonly string[],
  names: readonly string[],
  index: number,
): string | undefined {
  const first = names.indexOf(names[index] as string)
  if (first === index) return undefined
  const [one, other] = [first, index].map((each) => describeValue(written[each]))
  return one === other
    ? `${other} is already in the list; remove it`
    : `${other} and ${one} have the same column name, ${describeValue(names[index])}; rename one of them, and name its member of the document in 'from'`
}
