import type { TableState } from '../../functions/problems/table-state.ts'
import type { TableQuery } from '../../operator/tables/queries.ts'
import type { ReportedField } from '../../stored/schema-report/schema-report.ts'

/** A field of the documents of a snapshot, as its schema report has it. */
export interface ReportedFieldRow extends Pick<ReportedField, 'path' | 'present' | 'timestamps'> {
  readonly nulls: number
  readonly types: readonly { readonly type: string; readonly count: number }[]
}

/** The typed table of an entity. */
export interface TableRow {
  readonly state: TableState['kind']
  /** Why some readers do not find the published snapshot in it. */
  readonly problem: string | null
  readonly published: {
    readonly runId: string
    readonly rows: number
    readonly committedAt: string
    readonly columns: readonly { readonly name: string; readonly type: string; readonly rejected: number }[]
  } | null
  /** Newest first. */
  readonly history: readonly {
    readonly runId: string
    readonly committedAt: string
    readonly rows: number
    /** Of all columns. */
    readonly rejected: number
  }[]
  readonly queries: readonly TableQuery[]
}

export interface SchemaResponse {
  /** Null without columns. */
  readonly table: TableRow | null
  /** Null without a schema report of the published snapshot. */
  readonly report: {
    readonly runId: string
    readonly documents: number
    readonly truncated: boolean
    readonly fields: readonly ReportedFieldRow[]
  } | null
  /** The last published runs whose fields differ from those of the snapshot before, newest first. */
  readonly changes: readonly { readonly runId: string; readonly endedAt: string; readonly text: string }[]
  readonly columnsCommand: string
  readonly now: string
}
