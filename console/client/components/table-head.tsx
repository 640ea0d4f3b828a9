import { Term } from './term.tsx'

/** Numbers are aligned to the right. `from-medium` and `from-wide` leave a column out on narrower screens. */
type ColumnClass = 'number' | 'from-medium' | 'from-wide' | 'number from-medium'

type Column = readonly [name: string, columnClass?: ColumnClass]

/** The headings of a table's columns. */
export const TableHead = ({ columns }: { columns: readonly Column[] }) => (
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
