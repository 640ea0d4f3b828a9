/** How Parquet stores the decimals of a precision. */
export type DecimalStorage =
  | { readonly type: 'INT32' }
  | { readonly type: 'INT64' }
  | { readonly type: 'FIXED_LEN_BYTE_ARRAY'; readonly type_length: number }

/** The types that Iceberg requires for decimals (Iceberg specification, appendix A). */
export function decimalStorage(precision: number): DecimalStorage {
  if (precision <= 9) return { type: 'INT32' }
  if (precision <= 18) return { type: 'INT64' }
  const bits = (10n ** BigInt(precision)).toString(2).length + 1
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: Math.ceil(bits / 8) }
}
