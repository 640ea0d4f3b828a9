import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { acceptedFindings, checkFindings, type Finding } from './accepted-findings.ts'
import { configurations } from './configurations.ts'
import { synthesizeApp } from './synthesize.ts'

const findings: Finding[] = []

describe('the cdk-nag rules of AWS Solutions', () => {
  it.each(Object.entries(configurations))('find nothing that is not accepted %s', (_name, configuration) => {
    const here = synthesizeApp(configuration, (app) =>
      new AwsSolutionsChecks(app)
        .validateScope(app)
        .violations.flatMap(({ ruleName, violatingResources }) =>
          violatingResources.map(({ constructPath }) => ({ rule: ruleName, resource: constructPath ?? '' })),
        ),
    )
    findings.push(...here)
    expect(checkFindings('cdk-nag', here).open).toEqual([])
    // A pack that finds nothing at all has not run.
    expect(here.length).toBeGreaterThanOrEqual(5)
  })

  it('find everything that is accepted', () => {
    expect(checkFindings('cdk-nag', findings).unused).toEqual([])
    for (const { reason } of acceptedFindings['cdk-nag']) expect(reason.length).toBeGreaterThan(20)
  })
})
