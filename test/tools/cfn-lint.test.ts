import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { configurations } from '../infra/configurations.ts'
import { importTemplate } from '../infra/import-template.ts'
import { synthesize } from '../infra/synthesize.ts'
import { pythonTools } from '../python-tools.ts'

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

it.skipIf(!programs)('cfn-lint finds nothing in any template', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-cfn-lint-'))
  try {
    const files = Object.values(configurations).flatMap((configuration, index) =>
      templatesOf(configuration).map(([stack, template]) => {
        mkdirSync(join(folder, String(index)), { recursive: true })
        const file = join(folder, String(index), `${stack}.template.json`)
        writeFileSync(file, template)
        return file
      }),
    )
    expect(files.length).toBeGreaterThanOrEqual(5 * Object.keys(configurations).length)

    // A broken template shows that the linter reports errors.
    const wrong = join(folder, 'wrong.template.json')
    writeFileSync(
      wrong,
      JSON.stringify({ Resources: { Q: { Type: 'AWS::SQS::Queue', Properties: { Nam: 'q' } } } }),
    )
    const found = await lint([...files, wrong])
    expect(found.filter(({ file }) => file !== wrong)).toEqual([])
    expect(found).not.toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
