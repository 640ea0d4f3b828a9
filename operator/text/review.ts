import { formatDocuments } from '../../functions/runtime/format.ts'

export { shortened } from '../../functions/runtime/format.ts'

/** `79%` of the documents with a value are missing. */
export const missingShare = ({ before, missing }: Readonly<Record<'before' | 'missing', number>>) =>
  `${Math.round((missing * 100) / before)}%`

interface Reviewed {
  readonly missing: number
  readonly fields: readonly {
    readonly field: string
    readonly values: readonly { readonly value: string; readonly missing: number }[]
  }[]
}

/** Of the missing documents. A value that fewer have does not explain what is missing. */
const minExplained = 0.9

/** What nearly all missing documents have in common: the answer that a review looks for. Undefined if nothing is. */
export function commonValueText(
  { missing, fields }: Reviewed,
  what = 'that are missing',
): string | undefined {
  for (const { field, values } of fields) {
    const value = values.find((one) => missing > 0 && one.missing >= missing * minExplained)
    if (value)
      return `${Math.floor((value.missing * 100) / missing)}% of the ${formatDocuments(missing)} ${what} have ${field} ${value.value}.`
  }
  return undefined
}
