import { isDeepStrictEqual } from 'node:util'

/** The template that `cdk deploy` uploads, by stack name. */
export type Templates = Readonly<Record<string, string>>

/** Logical ids of what a deployment would change, by stack. Stacks that it would not change are left out. */
export function driftOf(deployed: Templates, synthesized: Templates): Record<string, string[]> {
  const changes = Object.entries(deployed).map(
    ([name, template]) => [name, changedIds(template, synthesized[name] ?? '{}')] as const,
  )
  return Object.fromEntries(changes.filter(([, ids]) => ids.length > 0))
}

/** A function's code appears in its template as a hash. */
function changedIds(deployed: string, synthesized: string): string[] {
  const before = JSON.parse(deployed) as Template
  const after = JSON.parse(synthesized) as Template
  const changed = new Set<string>()
  for (const section of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[section], after[section]]
    for (const id of new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])) {
      if (!isDeepStrictEqual(Object(one)[id], Object(other)[id])) changed.add(id)
    }
  }
  return [...changed].toSorted()
}

type Template = Readonly<Record<string, object | undefined>>
