import { describe, expect, it } from 'vitest'
import { permissions, synthesize } from './synthesize.ts'

const entities = [{ name: 'CL', schedule: 'rate(1 day)' }]
const erasing = synthesize({ eraseWithinDays: 30, entities })
const keeping = synthesize({ entities })
const versionActions = ['s3:DeleteObjectVersion', 's3:ListBucketVersions']
const ofVersions = (bundle: typeof erasing) =>
  permissions(bundle).filter(
    ({ actions, effect }) => effect === 'Allow' && actions.some((action) => versionActions.includes(action)),
  )
const dailyTasks = (bundle: typeof erasing) =>
  bundle.of('AWS::Events::Rule').filter(({ properties }) => properties.ScheduleExpression === 'rate(1 day)')

describe('with eraseWithinDays', () => {
  it('a daily task invokes the functions that erase', () => {
    expect(dailyTasks(erasing)).toHaveLength(1)
    const [task] = dailyTasks(erasing)
    expect(task?.properties.Targets).toEqual(
      [/^Compare/, /^Tables/].map((name) =>
        expect.objectContaining({
          Arn: { 'Fn::GetAtt': [expect.stringMatching(name), 'Arn'] },
          Input: '{"task":"erase"}',
        }),
      ),
    )
  })

  it('only these functions may delete versions, of snapshots and change sets or of tables', () => {
    const found = ofVersions(erasing)
    expect(new Set(found.flatMap(({ actions }) => actions))).toEqual(new Set(versionActions))
    const deletes = found.filter(({ actions }) => actions.includes('s3:DeleteObjectVersion'))
    const folders = deletes.flatMap(({ policy, resources }) =>
      resources.map((resource) => [
        policy.slice(0, policy.indexOf('Role')),
        /\/(\w+)\/\*/.exec(JSON.stringify(resource))?.[1],
      ]),
    )
    expect(folders).toEqual([
      ['Compare', 'snapshots'],
      ['Compare', 'changes'],
      ['Tables', 'iceberg'],
    ])
    expect(found.every(({ policy }) => /^(Compare|Tables)Role/.test(policy))).toBe(true)
  })

  it('they record the last pass over each entity in the state table', () => {
    const records = permissions(erasing).filter(
      ({ policy, actions }) =>
        /^(Compare|Tables)Role/.test(policy) && actions.includes('dynamodb:UpdateItem'),
    )
    expect(records.map(({ actions }) => actions)).toEqual([
      ['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
      ['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
    ])
  })

  it('the function has the number of days in its settings', () => {
    const compare = erasing.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Compare'))
    expect(compare && erasing.codeOf(compare).settings).toMatchObject({ eraseWithinDays: 30 })
  })
})

it('without eraseWithinDays there is no task and no permission', () => {
  expect(dailyTasks(keeping)).toEqual([])
  expect(ofVersions(keeping)).toEqual([])
})
