import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageManager, writeProjectFiles } from '../../../cli/init/project-files.ts'
import { featureFlags } from '../../../lib/feature-flags.ts'
import { failureOf } from '../../../operator/errors.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()

describe('the project of an installed package', () => {
  const project = (files: Readonly<Record<string, string>>) => {
    const path = mkdtempSync(join(folder, 'project-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
    const read = (name: string) =>
      JSON.parse(readFileSync(join(path, name), 'utf8')) as Record<string, unknown>
    return { path, read }
  }

  it('receives a CDK app that finds the package, and the scripts that the documentation names', async () => {
    const { path, read } = project({ 'package.json': '{"dependencies":{"a":"1"}}' })
    expect(await writeProjectFiles(path, { execute: 'npx --no-install' })).toEqual([
      'cdk.json',
      'package.json',
    ])
    expect(read('cdk.json')).toEqual({ app: 'npx --no-install longshore app', context: featureFlags })
    expect(read('package.json')).toEqual({
      dependencies: { a: '1' },
      scripts: { start: 'longshore start', synth: 'cdk synth --quiet', deploy: 'cdk deploy --all' },
      devDependencies: {
        'aws-cdk': expect.stringMatching(/^2\.\d+\.\d+$/),
        'aws-cdk-lib': expect.stringMatching(/^2\.\d+\.\d+$/),
        constructs: expect.stringMatching(/^10\.\d+\.\d+$/),
      },
    })
    expect(await writeProjectFiles(path, { execute: 'npx --no-install' })).toEqual([])
  })

  it('keeps what is there', async () => {
    const own = {
      type: 'commonjs',
      scripts: { start: 'own', deploy: 'own' },
      dependencies: { 'aws-cdk': '2.1100.0', 'aws-cdk-lib': '2.224.0', constructs: '10.5.0' },
    }
    const { path, read } = project({ 'cdk.json': '{"app":"own"}', 'package.json': JSON.stringify(own) })
    expect(await writeProjectFiles(path, { execute: 'npx --no-install' })).toEqual(['package.json'])
    expect(read('cdk.json')).toEqual({ app: 'own' })
    expect(read('package.json')).toEqual({ ...own, scripts: { ...own.scripts, synth: 'cdk synth --quiet' } })
  })

  it.each([
    [undefined, 'npm install', 'npx --no-install'],
    ['npm/11.0.0 node/v24.0.0 linux x64 workspaces/false', 'npm install', 'npx --no-install'],
    ['pnpm/10.1.0 npm/? node/v22.18.0 linux x64', 'pnpm install', 'pnpm exec'],
    ['yarn/4.1.0 npm/? node/v22.18.0 linux x64', 'yarn install', 'yarn run'],
    ['another/1', 'npm install', 'npx --no-install'],
  ])('is for the package manager that started it: %s', async (agent, install, execute) => {
    const manager = packageManager(agent ?? '')
    expect(manager).toEqual({ install, execute })
    const { path, read } = project({})
    await writeProjectFiles(path, manager)
    expect(read('cdk.json')).toMatchObject({ app: `${execute} longshore app` })
  })

  it('gets a package.json if it has none', async () => {
    const { path, read } = project({})
    expect(await writeProjectFiles(path, { execute: 'npx --no-install' })).toEqual([
      'cdk.json',
      'package.json',
    ])
    expect(read('package.json')).toMatchObject({ scripts: { start: 'longshore start' } })
  })

  it.each(['{"type":"commonjs"}', '{}', '{"type":"module"}'])(
    'keeps the type of its package.json (%s), which other files depend on',
    async (manifest) => {
      const { path, read } = project({ 'package.json': manifest })
      await writeProjectFiles(path, { execute: 'npx --no-install' })
      expect(read('package.json')['type']).toBe((JSON.parse(manifest) as { type?: string }).type)
    },
  )

  it('is not changed if its package.json is damaged', async () => {
    const { path } = project({ 'package.json': '{"name":' })
    const failure = await writeProjectFiles(path, { execute: 'npx --no-install' }).catch(failureOf)
    expect(failure).toEqual({ kind: 'problem', message: 'package.json is not JSON.', fix: 'correct it' })
    expect(readFileSync(join(path, 'package.json'), 'utf8')).toBe('{"name":')
    expect(existsSync(join(path, 'cdk.json'))).toBe(false)
  })
})
