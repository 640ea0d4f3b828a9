import { describe, expect, it } from 'vitest'
import type { ColumnTypeText } from '../../../../functions/runtime/settings-schema/column-type.ts'
import { columnTypeOf } from '../../../../functions/runtime/settings-schema/column-type.ts'
import type { Column } from '../../../../functions/runtime/settings-schema/columns.ts'
import { assignFieldIds, tableColumns } from '../../../../stored/iceberg/table-schema.ts'
import type { TableColumn } from '../../../../stored/tables/table.ts'

const column = (type: ColumnTypeText, from = 'total'): Column => ({
  name: 'total',
  from: [from],
  type: columnTypeOf(type),
})
const hashed: Column = { name: 'total', from: ['total'], type: { kind: 'string', hash: 'sha256' } }

/** The columns of a table that has one of them, whose ids went up to 7. */
const tableWith = (known: Column): { columns: Record<string, TableColumn>; lastColumnId: number } => ({
  columns: tableColumns([{ ...known, fieldId: 3 }]),
  lastColumnId: 7,
})

describe('the field id of a column', () => {
  it.each<[name: string, before: Column, after: Column]>([
    ['with the same path and type', column('string'), column('string')],
    ['of hashes that stays one of hashes', hashed, hashed],
    ['of int that becomes long', column('int'), column('long')],
    ['of decimals that get more digits', column('decimal(9,2)'), column('decimal(10,2)')],
  ])('stays for one %s', (_, before, after) => {
    expect(assignFieldIds([after], tableWith(before))).toEqual({
      columns: [{ ...after, fieldId: 3 }],
      lastColumnId: 7,
    })
  })

  it.each<[name: string, before: Column, after: Column]>([
    ['reads another member', column('string'), column('string', 'sum')],
    ['is hashed now', column('string'), hashed],
    ['is no longer hashed', hashed, column('string')],
    ['becomes int from long', column('long'), column('int')],
    ['becomes a double from int', column('int'), column('double')],
    ['becomes a decimal from int', column('int'), column('decimal(10,0)')],
    ['becomes a decimal with fewer digits', column('decimal(10,2)'), column('decimal(9,2)')],
    ['becomes a decimal of another scale', column('decimal(9,2)'), column('decimal(18,4)')],
    ['becomes a decimal of a smaller scale', column('decimal(9,2)'), column('decimal(18,0)')],
  ])('is new for one that %s', (_, before, after) => {
    expect(assignFieldIds([after], tableWith(before))).toEqual({
      columns: [{ ...after, fieldId: 8 }],
      lastColumnId: 8,
    })
  })

  it('is never that of a column that was removed', () => {
    const after = assignFieldIds([column('string')], { columns: {}, lastColumnId: 7 })
    expect(after).toMatchObject({ columns: [{ fieldId: 8 }], lastColumnId: 8 })
    const removed = assignFieldIds([], { columns: {}, lastColumnId: after.lastColumnId })
    expect(removed).toEqual({ columns: [], lastColumnId: 8 })
  })

  it('is its own for each new column, also for one that is named like a member of every object', () => {
    const columns = ['constructor', 'b'].map((name): Column => ({ ...column('string'), name }))
    expect(assignFieldIds(columns, { columns: {}, lastColumnId: 0 })).toMatchObject({
      columns: [{ fieldId: 1 }, { fieldId: 2 }],
      lastColumnId: 2,
    })
  })
})
