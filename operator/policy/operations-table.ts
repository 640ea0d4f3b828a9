import { actionsByKind, operations, type ResourceKind } from './operations.ts'

/** With a customer managed key. */
const isKey: ReadonlySet<ResourceKind> = new Set(['key', 'previous keys'])

function operationsTable(): string {
  const rows = operations.map(({ name, role, grants }) => {
    const calls = [...actionsByKind(grants)]
      .filter(([on]) => !isKey.has(on))
      .flatMap(([, actions]) => actions)
    return `| \`${name}\` | ${role} | ${calls.map((call) => `\`${call}\``).join(', ')} |`
  })
  return ['| command or action | role | AWS calls |', '|---|---|---|', ...rows].join('\n')
}

const generated = /(<!-- npm run cli-reference generates this table -->\n)[\s\S]*?(<!-- end -->)/

/** The page with its table brought up to date. */
export function withOperationsTable(page: string): string {
  return page.replace(
    generated,
    (_, start: string, end: string) => `${start}\n${operationsTable()}\n\n${end}`,
  )
}
