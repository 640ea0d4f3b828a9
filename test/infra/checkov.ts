import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pythonTools } from '../python-tools.ts'
import { checkFindings, type Finding } from './accepted-findings.ts'
import { configurations } from './configurations.ts'
import { synthesize } from './synthesize.ts'

/** `npm run check -- checkov`: checks the templates of every configuration with checkov, offline. */
interface Report {
  readonly summary: {
    readonly passed: number
    readonly parsing_errors: number
    readonly resource_count: number
  }
  readonly results: {
    readonly failed_checks: readonly { readonly check_id: string; readonly resource: string }[]
  }
}

async function check(programs: string, folder: string): Promise<Report> {
  const options = '--skip-download --framework cloudformation --output json --compact --quiet'.split(' ')
  const { stdout } = await promisify(execFile)(
    join(programs, 'checkov'),
    [...options, '--soft-fail', '--directory', folder],
    { maxBuffer: 1 << 26 },
  )
  return JSON.parse(stdout) as Report
}

const programs = await pythonTools('checkov', new URL('checkov-requirements.txt', import.meta.url))
if (programs) {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-checkov-'))
  try {
    Object.values(configurations).forEach((configuration, index) => {
      mkdirSync(join(folder, String(index)))
      for (const [stack, template] of Object.entries(synthesize(configuration).templates))
        writeFileSync(join(folder, String(index), `${stack}.template.json`), template)
    })
    const { summary, results } = await check(programs, folder)
    const findings: Finding[] = results.failed_checks.map(({ check_id: rule, resource }) => ({
      rule,
      resource,
    }))
    const { open, unused } = checkFindings('checkov', findings)
    for (const { rule, resource } of open) console.log(`FOUND     ${rule} ${resource}`)
    for (const { rule, resource } of unused)
      console.log(`UNUSED    ${rule} ${resource} is accepted and not found`)
    console.log(
      `checkov: ${summary.resource_count} resources, ${summary.passed} checks passed, ` +
        `${findings.length - open.length} accepted with their reasons, ${open.length} findings`,
    )
    const isWhole = summary.parsing_errors === 0 && summary.passed > 100
    if (!isWhole) console.log(`checkov could not read the templates: ${JSON.stringify(summary)}`)
    process.exitCode = isWhole && open.length === 0 && unused.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
