import { describe, expect, it } from 'vitest'
import { permissions, synthesize } from './synthesize.ts'

const entities = [{ name: 'CL', schedule: 'rate(1 day)' }]
const erasing = synthesize({ eraseWithinDays: 30, entities })
const keeping = synthesize({ entities })
const versionActions = ['s3:DeleteObjectVersion', 's3:ListBucketVersions']
const ofVersions = (bundle: typeof erasing) =>
  permissions(bundle).filter(({ actions }) => actions.some((action) => versionActions.includes(action)))
const dailyTasks = (bundle: typeof erasing) =>
  bundle.of('AWS::Events::Rule').filter(({ properties }) => properties.ScheduleExpression === 'rate(1 day)')

describe('with eraseWithinDays', () => {
  it('a daily task invokes the comparison to erase', () => {
    expect(dailyTasks(erasing)).toHaveLength(1)
    const [task] = dailyTasks(erasing)
    expect(task?.properties.Targets).toEqual([
      expect.objectContaining({
        Arn: { 'Fn::GetAtt': [expect.stringMatching(/^Compare/), 'Arn'] },
        Input: '{"task":"erase"}',
      }),
    ])
  })

  it('only the comparison may delete versions, of snapshots and change sets', () => {
    const found = ofVersions(erasing)
    expect(found.every(({ policy }) => policy.startsWith('CompareRole'))).toBe(true)
    expect(new Set(found.flatMap(({ actions }) => actions))).toEqual(new Set(versionActions))
    const deletes = found.filter(({ actions }) => actions.includes('s3:DeleteObjectVersion'))
    expect(JSON.stringify(deletes.map(({ resources }) => resources))).toMatch(
      /\/snapshots\/\*.*\/changes\/\*/,
    )
    expect(deletes.flatMap(({ resources }) => resources)).toHaveLength(2)
  })

  it('the function knows the time, and an alarm reports that erasure waits', () => {
    const compare = erasing.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Compare'))
    expect(compare && erasing.codeOf(compare).settings).toMatchObject({ eraseWithinDays: 30 })
    const names = erasing.of('AWS::CloudWatch::Alarm').map(({ properties }) => properties.AlarmName)
    expect(names).toContain('Longshore-ErasureWaits')
  })
})

describe('without eraseWithinDays', () => {
  it('there is no task, no permission and no alarm', () => {
    expect(dailyTasks(keeping)).toEqual([])
    expect(ofVersions(keeping)).toEqual([])
    expect(JSON.stringify(keeping.templates)).not.toMatch(/[Ee]ras/)
  })
})
