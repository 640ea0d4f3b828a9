import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { complete, configurations } from '../infra/configurations.ts'
import { importTemplate } from '../infra/import-template.ts'
import { synthesize } from '../infra/synthesize.ts'
import { pythonTools } from '../python-tools.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const programs = await pythonTools('cfn-lint', new URL('cfn-lint-requirements.txt', import.meta.url))

/** W3005: CDK adds dependencies that references already imply, which does no harm. */
const ignoredRules = ['--ignore-checks', 'W3005']

/** The findings in these files. One run for all of them, since cfn-lint takes seconds to start. */
async function lint(templates: readonly string[]) {
  const file = join(programs ?? '', 'cfn-lint')
  // Templates first: an option takes every word that follows it, and without templates cfn-lint reads stdin.
  const result = promisify(execFile)(file, [...templates, '--format', 'json', ...ignoredRules], {
    maxBuffer: 1 << 26,
  })
  // It exits with a code other than 0 when it finds something.
  const { stdout } = await result.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
  const findings = JSON.parse(stdout) as {
    Filename: string
    Rule: { Id: string }
    Message: string
    Location: { Path: unknown[] }
  }[]
  return findings.map(({ Filename, Rule, Message, Location }) => ({
    file: Filename,
    rule: Rule.Id,
    message: Message,
    path: Location.Path,
  }))
}

/** Every template that is sent to CloudFormation, including those that adopt what a deleted deployment has retained. */
function templatesOf(configuration: Partial<ConfigurationInput>): [stack: string, template: string][] {
  const bundle = synthesize(configuration)
  return [...Object.entries(bundle.templates), ['import', JSON.stringify(importTemplate(bundle))]]
}

/** One of each kind of document: a resource, and what follows the schemas of policies. */
const mistakes: Readonly<Record<string, readonly [from: string, to: string, rule: string]>> = {
  'a property that does not exist': ['"PointInTimeRecoverySpecification"', '"PointInTimeRecovery"', 'E3002'],
  'an effect that no policy of a bucket has': ['"Effect": "Deny"', '"Effect": "Refuse"', 'E3512'],
  'an operator that no policy of a bucket has': ['"Bool":', '"Boolean":', 'E3512'],
  'a member that no policy of a role has': ['"Resource":', '"Resources":', 'E3510'],
  'the trust of a role without a principal': ['"Principal":', '"Service":', 'E3530'],
}

describe.skipIf(!programs)('cfn-lint', () => {
  const folder = temporaryFolder()
  const write = (name: string, templates: readonly (readonly [stack: string, template: string])[]) =>
    templates.map(([stack, template]) => {
      mkdirSync(join(folder, name), { recursive: true })
      const file = join(folder, name, `${stack}.template.json`)
      writeFileSync(file, template)
      return file
    })
  let found: ReadonlyMap<string, Awaited<ReturnType<typeof lint>>>
  beforeAll(async () => {
    const right = Object.entries(configurations).flatMap(([name, each]) => write(name, templatesOf(each)))
    const templates = Object.entries(synthesize(complete).templates)
    const wrong = Object.entries(mistakes).flatMap(([name, [from, to]]) => {
      const changed = templates.filter(([, text]) => text.includes(from))
      return write(
        name,
        changed.map(([stack, text]) => [stack, text.replaceAll(from, to)]),
      )
    })
    found = Map.groupBy(await lint([...right, ...wrong]), ({ file }) => basename(dirname(file)))
  })

  it.each(Object.keys(configurations))('finds nothing in the templates %s', (name) => {
    expect(readdirSync(join(folder, name)).length).toBeGreaterThanOrEqual(5)
    expect(found.get(name)).toBeUndefined()
  })

  it.each(Object.entries(mistakes))('finds %s', (name, [, , rule]) => {
    expect(found.get(name)?.map((each) => each.rule)).toContain(rule)
  })
})
