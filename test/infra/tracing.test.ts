import { expect, it } from 'vitest'
import { permissions, synthesize } from './synthesize.ts'

const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]

it('tracing covers every function and the state machine, whose roles may send traces', () => {
  const traced = synthesize({ entities, tracing: true })
  const functions = traced.of('AWS::Lambda::Function')
  for (const { properties } of functions) expect(properties.TracingConfig).toEqual({ Mode: 'Active' })
  const [machine] = traced.of('AWS::StepFunctions::StateMachine')
  expect(machine?.properties.TracingConfiguration).toEqual({ Enabled: true })
  const senders = permissions(traced).filter(({ actions }) => actions.includes('xray:PutTraceSegments'))
  expect(senders).toHaveLength(functions.length + 1)
})

it('nothing is traced by default', () => {
  const { templates } = synthesize({ entities })
  expect(Object.values(templates).join()).not.toMatch(/xray|"Mode":"Active"|"Enabled":true,"TracingConf/)
})
