import { existsSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectFolder } from '../project.ts'
import { ConfigurationError } from './configuration-errors.ts'

/** Read by default. The second is for folders whose package.json makes `.ts` files CommonJS. */
const defaultNames = ['longshore.config.ts', 'longshore.config.mts'] as const

/** The absolute path of the default, which need not exist. Throws `ConfigurationError` if there are two. */
export function defaultConfigurationFile(folder = projectFolder): string {
  const [first, ...others] = defaultNames.filter((name) => existsSync(join(folder, name)))
  if (first !== undefined && others.length > 0)
    throw new ConfigurationError(first, [`${others.join(', ')} exists too; delete one of them`])
  const [asType, asModule] = defaultNames.map((name) => join(folder, name)) as [string, string]
  return first === undefined ? (typeOf(asType) === 'module' ? asType : asModule) : join(folder, first)
}

/** The default export of a `.ts`, `.mts`, `.js` or `.mjs` file, or the content of a `.json` file. Throws `ConfigurationError`. */
export async function readConfigurationFile(
  path: string | undefined,
): Promise<{ input: unknown; source: string }> {
  const file = path === undefined ? defaultConfigurationFile() : resolve(path)
  const source = path === undefined ? basename(file) : path || 'The configuration with an empty path'
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile())
    throw new ConfigurationError(source, [stats ? 'it is not a file' : 'the file does not exist'])
  try {
    // Some editors write a byte order mark, which JSON does not allow (RFC 8259 section 8.1).
    if (file.endsWith('.json'))
      return { input: JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, '')), source }
    const exported = exportedBy(await import(pathToFileURL(file).href))
    if (exported) return { input: exported.input, source }
  } catch (error) {
    throw new ConfigurationError(source, [unreadable(file, error)])
  }
  throw new ConfigurationError(source, [
    'the file has no default export; add export default defineConfig({…})',
  ])
}

/** Undefined if the module exports no configuration. Node gives a CommonJS module without exports an empty default. */
function exportedBy(module: Readonly<Record<string, unknown>>): { input: unknown } | undefined {
  if (!('default' in module)) return undefined
  if (!('module.exports' in module)) return { input: module['default'] }
  const exported = Object(module['default']) as Readonly<Record<string, unknown>>
  // Compiled from `export default`.
  if (module['__esModule'] === true) return 'default' in exported ? { input: exported['default'] } : undefined
  return Object.keys(exported).length > 0 ? { input: exported } : undefined
}

function unreadable(file: string, error: unknown): string {
  const [reason] = String(error).split('\n')
  if (error instanceof SyntaxError && /\.[jt]s$/.test(file) && typeOf(file) === 'commonjs') {
    const name = basename(file).replace(/\.([jt])s$/, '.m$1s')
    return `the file cannot be read: package.json ("type": "commonjs") makes it CommonJS, which has no import and export; rename it to ${name}`
  }
  return `the file cannot be read: ${reason}`
}

/** The `type` of the nearest package.json, which applies to a file; undefined if it has none. */
function typeOf(file: string): unknown {
  const folder = dirname(file)
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: unknown }).type
  return folder === file ? undefined : typeOf(folder)
}
