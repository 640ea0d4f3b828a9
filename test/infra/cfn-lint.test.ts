import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { pythonTools } from '../python-tools.ts'
import { configurations } from './configurations.ts'
import { synthesise } from './synthesise.ts'

const programs = await pythonTools('cfn-lint', new URL('cfn-lint-requirements.txt', import.meta.url))

/** W3005: the CDK names a role as a dependency beside its ARN, which does no harm. */
const notRules = ['--ignore-checks', 'W3005']

async function lint(templates: readonly string[]): Promise<unknown[]> {
  const file = join(programs ?? '', 'cfn-lint')
  // Templates first: an option takes every word that follows it, and without templates it waits for its input.
  const said = promisify(execFile)(file, [...templates, '--format', 'json', ...notRules], {
    maxBuffer: 1 << 26,
  })
  // It ends with an exit code of its own for what it found.
  const { stdout } = await said.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
  const findings = JSON.parse(stdout) as {
    Rule: { Id: string }
    Message: string
    Location: { Path: unknown[] }
  }[]
  return findings.map(({ Rule, Message, Location }) => ({
    rule: Rule.Id,
    message: Message,
    path: Location.Path,
  }))
}

it.skipIf(!programs)(
  'cfn-lint finds nothing in any template',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-cfn-lint-'))
    try {
      const files = Object.values(configurations).flatMap((configuration, index) =>
        Object.entries(synthesise(configuration).templates).map(([stack, template]) => {
          mkdirSync(join(folder, String(index)), { recursive: true })
          const file = join(folder, String(index), `${stack}.template.json`)
          writeFileSync(file, template)
          return file
        }),
      )
      expect(files).toHaveLength(4 * Object.keys(configurations).length)
      expect(await lint(files)).toEqual([])

      // And it would say if there were something.
      const wrong = join(folder, 'wrong.template.json')
      writeFileSync(
        wrong,
        JSON.stringify({ Resources: { Q: { Type: 'AWS::SQS::Queue', Properties: { Nam: 'q' } } } }),
      )
      expect(await lint([wrong])).not.toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  120_000,
)
