import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Metafile } from 'esbuild'
import type { OutputFile } from './write-output.ts'

export const noticesFileName = 'THIRD-PARTY-NOTICES'

interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Its license and notices. */
  readonly texts: string
}

/** The packages and licenses of what esbuild really bundled. */
export function thirdPartyNotices({ outputs }: Metafile, root: string, folder: string): OutputFile {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return noticesOf(
    bundled.map(([path]) => join(root, path)),
    folder,
  )
}

/** The packages and licenses of files; packages with the same text share it. */
export function noticesOf(files: readonly string[], folder: string): OutputFile {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
  const packages = [...folders].map(readPackage).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const byText = Map.groupBy(packages, ({ texts }) => texts.replaceAll(/\s+/g, ' '))
  const parts = [...byText.values()].map((of) => {
    const names = of.map(({ name, version, license }) => `${name} ${version} (${license})`)
    return `${names.join('\n')}\n\n${of[0]?.texts}\n`
  })
  const text = `This folder contains code of these packages:\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
  return { path: join(folder, noticesFileName), contents: Buffer.from(text) }
}

/** What the text of `thirdPartyNotices` names. */
export const noticedPackages = (text: string): Omit<BundledPackage, 'texts'>[] =>
  [...text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm)].map(
    ([, name = '', version = '', license = '']) => ({ name, version, license }),
  )

/** Undefined for files of this repository. */
function packageFolder(file: string): string | undefined {
  if (!file.includes('/node_modules/')) return undefined
  let folder = dirname(file)
  // A package may have more than one package.json; that of the package itself has a version.
  while (!hasVersion(folder)) folder = dirname(folder)
  return folder
}

function hasVersion(folder: string): boolean {
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && 'version' in (JSON.parse(readFileSync(manifest, 'utf8')) as object)
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as BundledPackage
  const files = globSync('{LICENSE,LICENCE,NOTICE,COPYING}*', { cwd: folder }).toSorted()
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  return { name, version, license, texts: texts || `License: ${license}` }
}
