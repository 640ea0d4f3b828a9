import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importsOf } from './imports/check-imports.ts'

const root = join(import.meta.dirname, '..')
const programs = ['operator', 'cli', 'console', 'local', 'lib', 'bin']
/**
 * What programs share with functions; `upstream` is the HTTP client of the platform. The checks of the publisher and of
 * tables have two users, the function and `longshore verify`.
 */
const shared =
  /^functions\/(?:(?:publisher|tables)\/check|http\/|runtime\/|problems\/|story\/|syncs\/|platform\/|upstream\/)/
const sourceFolders = ['functions', 'stored', ...programs, 'scripts', 'bench', 'examples']

export interface Folder {
  readonly folder: string
  readonly lines: number
  /** Of the longest chain of imports that begins in the folder. */
  readonly importLevels: number
}

/** Raw lines and imports of the working tree. It need not be a repository of Git. */
export function countLines() {
  const sources = sourceFolders.flatMap(filesIn).filter((file) => /\.(?:tsx?|mjs|css|html)$/.test(file))
  const tests = filesIn('test').filter((file) => !textOf(file).includes('\0'))
  const imports = new Map(
    [...sources, ...tests]
      .filter((file) => /\.(?:tsx?|mjs)$/.test(file))
      .map((file) => [file, importsIn(file)]),
  )
  const levels = importLevels(imports)
  const imported = [...imports].flatMap(([file, names]) =>
    programs.includes(folderOf(file))
      ? names.filter((name) => name.startsWith('functions/') && !shared.test(name))
      : [],
  )
  const folders: Folder[] = [...Map.groupBy([...sources, ...tests], folderOf)].map(([folder, files]) => ({
    folder,
    lines: linesOf(files),
    importLevels: Math.max(...files.map(levels)),
  }))
  return { folders, source: linesOf(sources), tests: linesOf(tests), imported: new Set(imported).size }
}

/** The files of a folder, without what Git ignores in folders. */
const filesIn = (folder: string): string[] =>
  readdirSync(root).includes(folder)
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .filter((file) => !/\/(?:node_modules|dist|__pycache__|\.[^/]+)\//.test(file))
    : []

const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const folderOf = (file: string) => file.slice(0, file.indexOf('/'))
const importsIn = (file: string) => importsOf(file, textOf(file))
const linesOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0)

function importLevels(imports: ReadonlyMap<string, readonly string[]>) {
  const known = new Map<string, number>()
  const levelsOf = (file: string): number => {
    if (known.has(file)) return known.get(file) as number
    // Of a cycle, which the import rules refuse.
    known.set(file, 1)
    const names = (imports.get(file) ?? []).filter((name) => imports.has(name))
    known.set(file, 1 + Math.max(0, ...names.map(levelsOf)))
    return known.get(file) as number
  }
  return levelsOf
}

/** `npm run lines` prints the numbers. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { folders, source, tests, imported } = countLines()
  console.table(folders.map(({ folder, ...numbers }) => ({ folder, ...numbers })))
  console.log(`source ${source}, tests ${tests}, files of functions that other programs import ${imported}`)
}
