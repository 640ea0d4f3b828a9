import { describe, expect, it } from 'vitest'
import { lambdaFunctions } from '../../functions/http/lambda-functions.ts'
import { complete } from './configurations.ts'
import {
  functionOf,
  missingActions,
  neverCalled,
  ofServices,
  reasons,
  roleActions,
} from './needed-actions.ts'
import { synthesize } from './synthesize.ts'

const roles = roleActions(synthesize(complete))

describe('the roles', () => {
  it('are those of the functions and of two services', () => {
    const names = roles.map(({ role }) => (ofServices[role] ? role : functionOf(role)))
    expect(names.toSorted()).toEqual([...lambdaFunctions, ...Object.keys(ofServices)].toSorted())
  })

  it('grant all that the calls need', () => expect(missingActions(roles)).toEqual([]))

  it('grant nothing else without a reason', () => {
    const others = roles.flatMap(({ role, granted, needed }) =>
      [...granted].flatMap((action) => (needed.has(action) ? [] : [`${role} ${action}`])),
    )
    expect(others.filter((other) => !reasons.some(({ actions }) => actions.test(other)))).toEqual([])
    expect(reasons.filter(({ actions }) => !others.some((other) => actions.test(other)))).toEqual([])
  })

  it('do not grant what is in a bundle and never called', () => {
    const stale = roles.flatMap(({ role, needed, granted }) =>
      (ofServices[role] ? [] : neverCalled[functionOf(role)]).filter(
        (action) => !needed.has(action) || granted.has(action),
      ),
    )
    expect(stale).toEqual([])
  })
})
