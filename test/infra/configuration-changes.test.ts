import { expect, test } from 'vitest'
import { configurations } from './configurations.ts'
import { synthesize } from './synthesize.ts'

/** The names of all exports. */
function exportsOf(templates: Readonly<Record<string, string>>): readonly string[] {
  const outputs = Object.values(templates).flatMap((template) =>
    Object.values(JSON.parse(template).Outputs as Record<string, { Export?: { Name: string } }>),
  )
  return outputs.flatMap(({ Export }) => (Export ? [Export.Name] : [])).sort()
}

// CloudFormation refuses to update a stack that would lose an export that another stack still imports:
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-importvalue
test('every configuration can be changed to every other, because all have the same exports', () => {
  const [first = [], ...others] = Object.values(configurations).map((configuration) =>
    exportsOf(synthesize({ ...configuration, name: 'Longshore' }).templates),
  )
  expect(first.length).toBeGreaterThan(0)
  for (const other of others) expect(other).toEqual(first)
})

test('no stack reads outputs of another stack, which needs a permission that restricted bootstraps do not grant', () => {
  for (const configuration of Object.values(configurations))
    expect(Object.values(synthesize(configuration).templates).join()).not.toContain('Fn::GetStackOutput')
})
