import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ColumnTypeText } from '../../../../functions/runtime/settings-schema/column-type.ts'
import { columnTypeOf } from '../../../../functions/runtime/settings-schema/column-type.ts'
import { lowerBound, upperBound } from '../../../../functions/tables/parquet/bounds.ts'
import { columnMetrics } from '../../../../functions/tables/parquet/column-metrics.ts'
import { columnSchema, TableFile } from '../../../../functions/tables/parquet/table-file.ts'
import type { StoredValue } from '../../../../functions/tables/values/column-value.ts'

const elementOf = (type: ColumnTypeText) =>
  columnSchema({ name: 'c', from: ['c'], fieldId: 1, type: columnTypeOf(type) })

/** The encodings of the Iceberg specification, appendix D. */
const encodings: readonly (readonly [ColumnTypeText, StoredValue, string])[] = [
  ['boolean', false, '00'],
  ['boolean', true, '01'],
  ['int', -2, 'feffffff'],
  ['int', -0, '00000000'],
  ['long', 1n, '0100000000000000'],
  ['long', -(2n ** 63n), '0000000000000080'],
  ['double', -0, '0000000000000080'],
  ['double', 1.5, '000000000000f83f'],
  ['date', -1, 'ffffffff'],
  ['timestamp', 1_000_000n, '40420f0000000000'],
  ['decimal(9,2)', 0n, '00'],
  ['decimal(9,2)', 127n, '7f'],
  ['decimal(9,2)', 128n, '0080'],
  ['decimal(9,2)', -128n, '80'],
  ['decimal(18,0)', -129n, 'ff7f'],
  ['decimal(38,10)', 10n ** 37n, '0785ee10d5da46d900f436a000000000'],
]

describe('the bounds of a column', () => {
  it.each(encodings)('of the type %s encode %s', (type, value, hexadecimal) => {
    const element = elementOf(type)
    expect(lowerBound(element, value).toString('hex')).toBe(hexadecimal)
    expect(upperBound(element, value)?.toString('hex')).toBe(hexadecimal)
  })

  const x16 = 'x'.repeat(16)
  it.each([
    ['', '', ''],
    ['short', 'short', 'short'],
    [x16, x16, x16],
    [`${x16}a`, x16, `${'x'.repeat(15)}y`],
    // A character outside the basic plane counts once.
    ['😀'.repeat(16), '😀'.repeat(16), '😀'.repeat(16)],
    [`${'😀'.repeat(16)}a`, '😀'.repeat(16), `${'😀'.repeat(15)}😁`],
    [`a${'😀'.repeat(16)}`, `a${'😀'.repeat(15)}`, `a${'😀'.repeat(14)}😁`],
    [`${'x'.repeat(15)}\ud7ffa`, `${'x'.repeat(15)}\ud7ff`, `${'x'.repeat(15)}\ue000`],
    [`${'x'.repeat(15)}\u{10ffff}a`, `${'x'.repeat(15)}\u{10ffff}`, `${'x'.repeat(14)}y`],
    ['\u{10ffff}'.repeat(17), '\u{10ffff}'.repeat(16), undefined],
  ])('of strings are truncated to 16 characters: %j', (text, lower, upper) => {
    const element = elementOf('string')
    expect(lowerBound(element, text).toString()).toBe(lower)
    expect(upperBound(element, text)?.toString()).toBe(upper)
  })

  it('of strings contain every string', () => {
    const element = elementOf('json')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const bytes = Buffer.from(text)
        expect(Buffer.compare(lowerBound(element, text), bytes)).toBeLessThanOrEqual(0)
        const upper = upperBound(element, text) ?? bytes
        expect(Buffer.compare(upper, bytes)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('of several row groups are in the order of bytes in UTF-8', () => {
    const column = { name: 'c', from: ['c'], fieldId: 1, type: { kind: 'string' } } as const
    const groups = ['\uffff', '😀', 'a'].flatMap((text) => {
      const file = new TableFile([column])
      file.add(Buffer.from(JSON.stringify({ c: text })))
      return file.finish().groups
    })
    expect(columnMetrics([column], groups)).toMatchObject({
      lower_bounds: [{ key: 1, value: Buffer.from('a') }],
      upper_bounds: [{ key: 1, value: Buffer.from('😀') }],
    })
  })
})
