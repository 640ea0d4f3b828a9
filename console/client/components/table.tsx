import type { ComponentChildren } from 'preact'
import { Term } from './term.tsx'

/** Numbers are aligned to the right. `from-medium` and `from-wide` leave a column out on narrower screens. */
type ColumnClass = 'number' | 'from-medium' | 'from-wide' | 'number from-medium'

type Columns = readonly (readonly [name: string, columnClass?: ColumnClass])[]

export const TableHead = ({ columns }: { columns: Columns }) => (
  <thead>
    <tr>
      {columns.map(([name, columnClass]) => (
        <th key={name} scope="col" class={columnClass}>
          <Term word={name} />
        </th>
      ))}
    </tr>
  </thead>
)

interface TableProps {
  readonly columns: Columns
  /** The first cell is the heading of its row. */
  readonly rows: readonly (readonly [
    key: string,
    heading: ComponentChildren,
    ...cells: ComponentChildren[],
  ])[]
  readonly class?: string
}

export const Table = ({ columns, rows, ...props }: TableProps) => (
  <table {...props}>
    <TableHead columns={columns} />
    <tbody>
      {rows.map(([key, heading, ...cells]) => (
        <tr key={key}>
          <th scope="row">{heading}</th>
          {cells.map((cell, index) => (
            <td key={index} class={columns[index + 1]?.[1]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

type Fact = readonly [name: string, value: ComponentChildren]

/** Names with their values, in as many columns as fit. */
export const FactsGrid = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts-grid">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>
          <Term word={name} />
        </dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
