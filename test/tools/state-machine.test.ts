import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complete } from '../infra/configurations.ts'
import { synthesize } from '../infra/synthesize.ts'
import { npmPackages } from '../npm-packages.ts'
import { optionalTools } from '../optional-tools.ts'

const name = 'asl-validator'
const packages = await optionalTools({ name, needs: 'npm and a package registry' }, (cleanUp) =>
  npmPackages({ name, manifest: new URL('asl-validator.json', import.meta.url) }, cleanUp),
)

/** What the validator of the Amazon States Language finds, with the substitutions that CloudFormation makes. */
function errorsIn(definition: string): unknown[] {
  const validate = createRequire(join(packages ?? '', 'package.json'))('asl-validator') as (
    definition: object,
  ) => { readonly errors: readonly unknown[] }
  const text = definition
    .replaceAll(/"\$\{InvokeAndAwaitToken\}"/g, '"arn:aws:states:::lambda:invoke.waitForTaskToken"')
    .replaceAll(/"\$\{(\w+)Arn\}"/g, '"arn:aws:lambda:eu-west-1:123456789012:function:$1"')
  return [...validate(JSON.parse(text)).errors]
}

const machines = synthesize(complete).of('AWS::StepFunctions::StateMachine')
const [definition = ''] = machines.map(({ properties }) => String(properties.DefinitionString))
const mistakes: Readonly<Record<string, readonly [from: RegExp, to: string]>> = {
  'a next state that does not exist': [/"Next":"Decide"/, '"Next":"Choose"'],
  'a state that nothing reaches': [/"Default":"CrashedWithoutCause"/, '"Default":"Crashed"'],
  'a type that does not exist': [/"Type":"Succeed"/, '"Type":"Success"'],
  'a state without a next one': [/,"Next":"Decide"/, ''],
  'a field that does not exist': [/"Step":\{/, '$&"TimeoutSecond":3,'],
  'a comparison that does not exist': [/"StringEquals":"planned"/, '"StringEqual":"planned"'],
  'a number as text': [/"BackoffRate":([\d.]+)/, '"BackoffRate":"$1"'],
  'a path that is not one': [/"\$\.waitSeconds"/, '"waitSeconds"'],
  'two durations': [/"Seconds":60/, '$&,"SecondsPath":"$.seconds"'],
}

describe.skipIf(!packages)('the state machine, by the schema of its language', () => {
  it('has no error', () => expect(errorsIn(definition)).toEqual([]))

  it.each(Object.entries(mistakes))('would have an error with %s', (_, [from, to]) => {
    expect(definition).toMatch(from)
    expect(errorsIn(definition.replace(from, to))).not.toEqual([])
  })
})
