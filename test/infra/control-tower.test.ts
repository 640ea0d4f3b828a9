import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { npmPackages } from '../npm-packages.ts'
import { optionalTools } from '../optional-tools.ts'
import { synthesize } from './synthesize.ts'

const name = 'control-tower'
const packages = await optionalTools({ name, needs: 'npm and a package registry' }, (cleanUp) =>
  npmPackages({ name, manifest: new URL('control-tower.json', import.meta.url) }, cleanUp),
)

const page = readFileSync(new URL('../../docs/compliance.md', import.meta.url), 'utf8')
const [, configurationOfPage = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? []
const full = JSON.parse(configurationOfPage) as Partial<ConfigurationInput>
const { entities, alarmEmail, eraseWithinDays } = full
const withoutOptions = { entities, alarmEmail, eraseWithinDays } as Partial<ConfigurationInput>

/** What the package's plugin for the CDK returns. */
interface GuardReport {
  readonly violations: readonly {
    readonly description?: string
    readonly violatingResources: readonly {
      readonly resourceLogicalId: string
      readonly templatePath: string
    }[]
  }[]
}

/** The resources that do not satisfy a control, by the id of the control. */
function controlsNotSatisfied(configuration: Partial<ConfigurationInput>): Map<string, Set<string>> {
  const { CfnGuardValidator } = createRequire(join(packages ?? '', 'package.json'))(
    '@cdklabs/cdk-validator-cfnguard',
  ) as {
    CfnGuardValidator: new () => { validate(context: { templatePaths: readonly string[] }): GuardReport }
  }
  const folder = mkdtempSync(join(tmpdir(), 'longshore-guard-'))
  try {
    const { templates } = synthesize(configuration)
    const templatePaths = Object.entries(templates).map(([stack, text]) => {
      const path = join(folder, `${stack}.json`)
      writeFileSync(path, text)
      return path
    })
    const found = new Map<string, Set<string>>()
    for (const { description, violatingResources } of new CfnGuardValidator().validate({ templatePaths })
      .violations) {
      const control = /^\[(.+?)\]/.exec(description ?? '')?.[1] ?? ''
      const resources = violatingResources.map(({ templatePath, resourceLogicalId: id }) => {
        // CDK adds one for each route.
        if (JSON.parse(readFileSync(templatePath, 'utf8')).Resources[id].Type === permission)
          return permission
        return `${basename(templatePath, '.json').replace('Longshore', '')}/${id.replace(/[0-9A-F]{8}$/, '')}`
      })
      found.set(control, new Set([...(found.get(control) ?? []), ...resources]))
    }
    return found
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const permission = 'AWS::Lambda::Permission'
const listed = (names: Iterable<string>) => [...names].map((each) => `\`${each}\``).join(', ')

it.skipIf(!packages)('docs/compliance.md lists the controls of Control Tower that are not satisfied', () => {
  const section = page.split(/^## /m).find((each) => each.startsWith('Control Tower')) ?? ''
  const remaining = controlsNotSatisfied(full)
  const rows = [...remaining].map(([control, resources]) => [
    `\`${control}\``,
    listed([...resources].toSorted()),
  ])
  const inPage = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')))
  expect(inPage.map((cells) => cells.slice(0, 2))).toEqual(
    rows.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  )
  for (const cells of inPage) expect(cells.at(-1)?.length).toBeGreaterThan(20)
  const without = [...controlsNotSatisfied(withoutOptions).keys()]
  const satisfied = without.filter((control) => !remaining.has(control)).toSorted()
  expect(section).toContain(`Its options satisfy ${listed(satisfied)}.`)
})
