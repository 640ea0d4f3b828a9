import * as v from 'valibot'
import {
  describeValue,
  itemsOf,
  pathTo,
  repetitions,
} from '../../functions/runtime/settings-schema/schema-parts.ts'

export interface DistinctListOptions {
  /** Describes a correct list. */
  readonly expected: string
  /** What to do instead of writing an empty list; absent if it may be empty. */
  readonly ifEmpty?: string
  readonly max?: { readonly items: number; readonly reason: string }
}

/** A list that contains each value once. */
export const distinctList = <S extends v.GenericSchema<string>>(
  item: S,
  { expected, ifEmpty, max }: DistinctListOptions,
) =>
  v.pipe(
    itemsOf(item, expected),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!Array.isArray(dataset.value)) return
      const values: readonly unknown[] = dataset.value
      if (values.length === 0 && ifEmpty !== undefined) addIssue({ message: `is empty; ${ifEmpty}` })
      for (const { value, index } of repetitions(values))
        addIssue({
          message: `${describeValue(value)} is already in the list; remove it`,
          path: pathTo(values, [index]),
        })
      if (max && values.length > max.items)
        addIssue({ message: `has ${values.length} items; ${max.reason} ${max.items}` })
    }),
    v.description(expected),
  )
