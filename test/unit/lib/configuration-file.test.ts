import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultConfigurationFile, readConfigurationFile } from '../../../lib/config/configuration-file.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const root = temporaryFolder()

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(root, 'project-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const commonJs = { 'package.json': '{"type":"commonjs"}' }

describe('the configuration that is read by default', () => {
  it.each([
    ['longshore.config.ts in a module', { 'package.json': '{"type":"module"}' }, 'longshore.config.ts'],
    ['longshore.config.mts in a CommonJS package', commonJs, 'longshore.config.mts'],
    ['longshore.config.mts in a package without a type', { 'package.json': '{}' }, 'longshore.config.mts'],
    ['the one that exists', { ...commonJs, 'longshore.config.ts': '' }, 'longshore.config.ts'],
    [
      'the other one that exists',
      { 'package.json': '{"type":"module"}', 'longshore.config.mts': '' },
      'longshore.config.mts',
    ],
  ])('is %s', (_, files, expected) => {
    expect(basename(defaultConfigurationFile(folderWith(files)))).toBe(expected)
  })

  it('is not chosen between two', () => {
    const folder = folderWith({ 'longshore.config.ts': '', 'longshore.config.mts': '' })
    expect(() => defaultConfigurationFile(folder)).toThrow(
      /longshore\.config\.ts has an error:\s+longshore\.config\.mts exists too; delete one of them/,
    )
  })
})

describe('a configuration file', () => {
  const read = (name: string, text: string, others: Readonly<Record<string, string>> = {}) =>
    readConfigurationFile(join(folderWith({ ...others, [name]: text }), name))

  it.each([
    ['one.config.mts', 'export default { name: "A" as string }', {}],
    ['two.config.ts', 'export default { name: "A" }', { 'package.json': '{"type":"module"}' }],
    ['three.config.mjs', 'export default { name: "A" }', {}],
    ['four.config.js', 'module.exports = { name: "A" }', commonJs],
    [
      'five.config.js',
      'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = { name: "A" }',
      commonJs,
    ],
    ['six.config.json', '\uFEFF{"name":"A"}', {}],
  ])('is read from %s', async (name, text, others) => {
    expect((await read(name, text, others)).input).toEqual({ name: 'A' })
  })

  const noExport = /the file has no default export; add export default defineConfig/
  it.each([
    ['without any export', 'a.config.ts', 'const config = {}', {}, noExport],
    ['without any export in a CommonJS package', 'b.config.ts', 'const config = {}', commonJs, noExport],
    ['with another export', 'c.config.mts', 'export const config = {}', {}, noExport],
    ['that is not JSON', 'e.config.json', '{', {}, /the file cannot be read: SyntaxError/],
  ])('%s is explained', async (...[, name, text, others, message]) => {
    await expect(read(name, text, others)).rejects.toThrow(message)
  })

  it('that is a module in a CommonJS package is explained', () => {
    const folder = folderWith({ ...commonJs, 'longshore.config.ts': 'export default {}' })
    const module = new URL('../../../lib/config/configuration-file.ts', import.meta.url).href
    const program = `import(${JSON.stringify(module)}).then(({ readConfigurationFile }) => readConfigurationFile('longshore.config.ts')).catch(({ message }) => console.log(message))`
    // A process of its own: the runner of the tests reads every file as a module.
    const { stdout } = spawnSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8' })
    expect(stdout).toMatch(/"type": "commonjs"\) makes it CommonJS, .*; rename it to longshore\.config\.mts/)
  })
})
