import type { ColumnMetrics } from '../../../stored/iceberg/manifests.ts'
import type { FileColumn } from '../../../stored/iceberg/table-schema.ts'
import type { StoredValue } from '../values/column-value.ts'
import { lowerBound, upperBound } from './bounds.ts'
import { columnSchema, type WrittenRowGroup } from './table-file.ts'

/** The metrics of a file with these row groups. */
export function columnMetrics(
  columns: readonly FileColumn[],
  groups: readonly WrittenRowGroup[],
): ColumnMetrics {
  const found = columns.map((column, index) => {
    const chunks = groups.flatMap((group) => group.columns[index]?.meta_data ?? [])
    const sum = (count: (chunk: (typeof chunks)[number]) => bigint) =>
      Number(chunks.reduce((total, chunk) => total + count(chunk), 0n))
    const ranges = chunks.flatMap(({ statistics }) => {
      const { min_value: min, max_value: max } = statistics ?? {}
      return min === undefined || max === undefined ? [] : [{ min, max } as Range]
    })
    const element = columnSchema(column)
    const range = ranges.length > 0 ? ranges.reduce(union) : undefined
    return {
      key: column.fieldId,
      size: sum((chunk) => chunk.total_compressed_size),
      values: sum((chunk) => chunk.num_values),
      nulls: sum(({ statistics }) => statistics?.null_count ?? 0n),
      lower: range && lowerBound(element, range.min),
      upper: range && upperBound(element, range.max),
    }
  })
  return {
    column_sizes: found.map(({ key, size: value }) => ({ key, value })),
    value_counts: found.map(({ key, values: value }) => ({ key, value })),
    null_value_counts: found.map(({ key, nulls: value }) => ({ key, value })),
    lower_bounds: found.flatMap(({ key, lower: value }) => (value ? [{ key, value }] : [])),
    upper_bounds: found.flatMap(({ key, upper: value }) => (value ? [{ key, value }] : [])),
    split_offsets: groups.flatMap(({ columns: [first] }) => (first ? [Number(first.file_offset)] : [])),
  }
}

interface Range {
  readonly min: StoredValue
  readonly max: StoredValue
}

const union = (one: Range, other: Range): Range => ({
  min: isBefore(other.min, one.min) ? other.min : one.min,
  max: isBefore(one.max, other.max) ? other.max : one.max,
})

function isBefore(one: StoredValue, other: StoredValue): boolean {
  // In the order of their bytes in UTF-8.
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
  // In a range, -0 is before 0.
  return one < other || (Object.is(one, -0) && Object.is(other, 0))
}
