import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { allowedImports, awsOnlyIn, awsPackages, innerFolders, matches } from './import-rules.ts'

/** Source text by path relative to the root of the repository. */
export type Sources = Readonly<Record<string, string>>

/** Every violation of the import rules, one line each. */
export function checkImports(sources: Sources): string[] {
  const imports = Object.entries(sources).map(([path, text]) => [path, importsOf(path, text)] as const)
  return [
    ...imports.flatMap(([path, names]) => [...forbiddenImports(path, names), ...awsViolations(path, names)]),
    ...cycles(new Map(imports)),
    ...Object.entries(innerFolders).flatMap(([place, order]) => upwardImports(imports, place, order)),
  ]
}

/** Paths of the repository and names of packages. Includes type-only, dynamic and re-exporting imports. */
export function importsOf(path: string, text: string): string[] {
  const names: string[] = []
  const add = (source: { readonly value?: unknown } | null) => {
    if (typeof source?.value === 'string') names.push(source.value)
  }
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source as { readonly value?: unknown }),
    TSImportType: ({ source }) => add(source),
  }).visit(program)
  return names.map((name) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name))
}

function forbiddenImports(path: string, names: readonly string[]): string[] {
  const [own, allowed] = allowedImports.find(([from]) => matches(path, from)) ?? [path, []]
  return names
    .filter((name) => isRepositoryFile(name) && !matches(name, own))
    .filter((name) => !allowed.some((pattern) => matches(name, pattern)))
    .map((name) => `${path} must not import ${name}`)
}

const isRepositoryFile = (name: string) => /\.(ts|tsx|mjs|json)$/.test(name) && !name.startsWith('@')

function awsViolations(path: string, names: readonly string[]): string[] {
  if (!awsOnlyIn.some((pattern) => matches(path, pattern))) return []
  const packages = names.filter((name) => awsPackages.test(name))
  if (!path.endsWith('.aws.ts'))
    return packages.map((name) => `${path} must not import ${name}: only *.aws.ts files do`)
  return packages.length > 0 ? [] : [`${path} imports no AWS package: remove .aws from its name`]
}

/** Imports against the order of the folders inside a folder, and circles that they form with the files beside them. */
function upwardImports(
  imports: readonly (readonly [path: string, names: readonly string[]])[],
  place: string,
  order: readonly string[],
): string[] {
  const inner = (path: string) => path.slice(place.length).split('/')
  const own = imports.filter(([path]) => path.startsWith(place))
  const upward = own.flatMap(([path, names]) => {
    const [folder = '', file] = inner(path)
    if (file === undefined) return []
    if (!order.includes(folder)) return [`${path} is in a folder that has no place in the order of ${place}`]
    return names
      .filter((name) => name.startsWith(place) && order.indexOf(inner(name)[0] ?? '') > order.indexOf(folder))
      .map((name) => `${path} must not import ${name}: its folder is above it`)
  })
  const rooms = Map.groupBy(own, ([path]) => `${place}${inner(path)[0]}`)
  const arrows = [...rooms].map(([room, files]) => {
    const names = files.flatMap(([, found]) => found).filter((name) => name.startsWith(place))
    return [room, names.map((name) => `${place}${inner(name)[0]}`).filter((name) => name !== room)] as const
  })
  return [...upward, ...cycles(new Map(arrows))]
}

/** Groups of files that import each other, found by Tarjan's algorithm. */
function cycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const found: string[] = []

  const visit = (path: string): number => {
    const index = order.size
    order.set(path, index)
    open.push(path)
    let low = index
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue
      if (next === path) found.push(`${path} imports itself`)
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low)
    }
    lowest.set(path, low)
    if (low === index) {
      const group = open.splice(open.indexOf(path))
      if (group.length > 1) found.push(`import cycle: ${group.toSorted().join(', ')}`)
    }
    return low
  }

  for (const path of imports.keys()) if (!order.has(path)) visit(path)
  return found
}
