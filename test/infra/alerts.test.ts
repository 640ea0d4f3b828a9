import { describe, expect, it } from 'vitest'
import { type Bundle, permissions, synthesize } from './synthesize.ts'

describe('alerts', () => {
  const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'
  const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/teams-a1b2c3'
  const withAlerts = () =>
    synthesize({
      encryptionKeyArn: key,
      alerts: [
        { type: 'slack', url: 'shop/slack' },
        { type: 'teams', url: arn },
      ],
    })
  const reading = (of: Bundle) =>
    permissions(of).filter(({ policy, actions }) =>
      actions.some((action) => policy.startsWith('Freshness') && action.startsWith('secretsmanager:')),
    )

  it('let the freshness check read exactly their secrets, also those that the configured key encrypts', () => {
    const [statement, ...others] = reading(withAlerts())
    expect(others).toEqual([])
    const [byName, ...byArn] = statement?.resources ?? []
    expect(statement?.actions).toEqual(['secretsmanager:GetSecretValue'])
    expect(JSON.stringify(byName)).toContain(':secret:shop/slack-??????')
    expect(byArn).toEqual([arn, `${arn}-??????`])
    const uses = permissions(withAlerts()).filter(
      ({ policy, condition }) =>
        policy.startsWith('Freshness') && JSON.stringify(condition ?? '').includes('"secretsmanager.'),
    )
    expect(uses.map(({ actions, resources }) => [actions, resources])).toEqual([[['kms:Decrypt'], [key]]])
  })

  it('need no permission if there are none', () => expect(reading(synthesize())).toEqual([]))
})
