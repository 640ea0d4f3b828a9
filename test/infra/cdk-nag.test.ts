import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { acceptedFindings, decideProof, type Finding } from './accepted-findings.ts'
import { configurations } from './configurations.ts'
import { synthesiseApp } from './synthesise.ts'

const findings: Finding[] = []

describe('the rules of AWS Solutions find nothing that was not accepted', () => {
  it.each(Object.entries(configurations))('%s', (_name, configuration) => {
    const here = synthesiseApp(configuration, (app) =>
      new AwsSolutionsChecks(app)
        .validateScope(app)
        .violations.flatMap(({ ruleName, violatingResources }) =>
          violatingResources.map(({ constructPath }) => ({ rule: ruleName, resource: constructPath ?? '' })),
        ),
    )
    findings.push(...here)
    expect(decideProof('cdk-nag', here).open).toEqual([])
    // As many as we know of at least: a pack that finds nothing at all was not asked.
    expect(here.length).toBeGreaterThanOrEqual(5)
  })

  it('and whatever was accepted is found', () => {
    expect(decideProof('cdk-nag', findings).needless).toEqual([])
    for (const { reason } of acceptedFindings['cdk-nag']) expect(reason.length).toBeGreaterThan(20)
  })
})
