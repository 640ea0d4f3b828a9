import { describe, expect, it } from 'vitest'
import { configurations } from './configurations.ts'
import { importTemplate, references } from './import-template.ts'
import { synthesize } from './synthesize.ts'

describe.each(Object.entries(configurations))('retained resources of a deployment %s', (_, configuration) => {
  const bundle = synthesize(configuration)
  const { Resources } = importTemplate(bundle)

  it('refer only to each other, so that `cdk import` can adopt them', () => {
    const found = references(Resources)
    expect(found.length).toBeGreaterThan(10)
    expect(found.filter((id) => !(id in Resources))).toEqual([])
  })

  // S3 keeps one policy per bucket, and CloudFormation refuses to create a policy where one exists.
  it('are all that the storage stack contains, so that the deployment after an import creates nothing that exists', () => {
    const isStored = ({ stack, type }: { stack: string; type: string }) =>
      stack.endsWith('Storage') && type !== 'AWS::CDK::Metadata'
    const all = bundle.resources.filter(isStored).map(({ id }) => id)
    expect(Object.keys(Resources).toSorted()).toEqual(all.toSorted())
  })
})
