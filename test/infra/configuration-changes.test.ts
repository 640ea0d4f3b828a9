import { expect, test } from 'vitest'
import { configurations } from './configurations.ts'
import { synthesise } from './synthesise.ts'

/** The names by which one stack lets others import of it. */
function exportsOf(templates: Readonly<Record<string, string>>): readonly string[] {
  const outputs = Object.values(templates).flatMap((template) =>
    Object.values(JSON.parse(template).Outputs as Record<string, { Export?: { Name: string } }>),
  )
  return outputs.flatMap(({ Export }) => (Export ? [Export.Name] : [])).sort()
}

// CloudFormation refuses to update a stack that would lose an export which the stacks after it still import:
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-importvalue
test('from every configuration one can change to every other: no export comes or goes', () => {
  const [first = [], ...others] = Object.values(configurations).map((configuration) =>
    exportsOf(synthesise({ ...configuration, name: 'Longshore' }).templates),
  )
  expect(first.length).toBeGreaterThan(0)
  for (const other of others) expect(other).toEqual(first)
})
