import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../lib/config.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()

/** Writes a file with this name and returns its path. */
function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const right = "{ upstream: { baseUrl: 'https://shop.example.com' }, stepSeconds: 60 }"

describe('a configuration file', () => {
  it.each([
    ['right.ts', `const config: object = ${right}\nexport default config`],
    ['right.mjs', `export default ${right}`],
    ['right.js', `module.exports = ${right}`],
    ['right.json', JSON.stringify({ upstream: { baseUrl: 'https://shop.example.com' }, stepSeconds: 60 })],
    ['marked.json', '\uFEFF{ "upstream": { "baseUrl": "https://shop.example.com" }, "stepSeconds": 60 }'],
  ])('is read from %s', async (name, text) => {
    await expect(loadConfig(file(name, text))).resolves.toMatchObject({ name: 'Longshore', stepSeconds: 60 })
  })

  it('is found relative to the working directory', async () => {
    const path = relative(
      process.cwd(),
      file('relative.json', '{"upstream":{"baseUrl":"https://a.example"}}'),
    )
    await expect(loadConfig(path)).resolves.toMatchObject({ upstream: { baseUrl: 'https://a.example' } })
  })

  it('can be read with another name, which is checked like the rest', async () => {
    const path = file('named.json', '{"name":"One","upstream":{"baseUrl":"https://a.example"}}')
    await expect(loadConfig(path, { name: 'Two' })).resolves.toMatchObject({ name: 'Two' })
    await expect(loadConfig(path, { name: 'not a name' })).rejects.toThrow(
      "name: 'not a name' is not a prefix",
    )
  })

  it.each([
    ['', 'The configuration with an empty path has an error:'],
    [folder, `${folder} has an error:`],
  ])('must be a file: %j', async (path, first) => {
    await expect(loadConfig(path)).rejects.toThrow(`${first}\n  it is not a file`)
  })

  it.each([
    ['missing.ts', undefined, 'the file does not exist'],
    [
      'throws.ts',
      "throw new Error('no such thing\\nsecond line')",
      'the file cannot be read: Error: no such thing',
    ],
    ['broken.json', '{"upstream":', 'the file cannot be read: SyntaxError: '],
    [
      'empty.ts',
      'export const config = {}',
      'the file has no default export; add export default defineConfig({…})',
    ],
    ['wrong.ts', 'export default []', 'the configuration: an empty list is not an object with '],
  ])('reports a file that cannot be used in one line: %s', async (name, text, error) => {
    const path = text === undefined ? join(folder, name) : file(name, text)
    const message: string = await loadConfig(path).then(
      () => '',
      (error) => error.message,
    )
    expect(message.split('\n')).toEqual([`${path} has an error:`, expect.stringContaining(`  ${error}`)])
  })
})
