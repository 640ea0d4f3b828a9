import { hash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { noticedPackages, noticesFileName } from './third-party-notices.ts'

interface Package {
  readonly name: string
  readonly version: string
}

/** The SHA-256 of each built file, in the form that `sha256sum --check` reads. */
export function writeChecksums(compiled: string): void {
  const dist = join(compiled, 'dist')
  const files = globSync('*/*', { cwd: dist }).toSorted()
  const lines = files.map((file) => `${hash('sha256', readFileSync(join(dist, file)))}  dist/${file}\n`)
  writeFileSync(join(compiled, 'SHA256SUMS'), lines.join(''))
}

/** A bill of materials (CycloneDX 1.6): the packages in each folder, as esbuild bundled them. */
export function writeBillOfMaterials(compiled: string, { name, version }: Package): void {
  const folders = globSync(`**/${noticesFileName}`, { cwd: compiled })
    .toSorted()
    .map((file) => ({
      folder: dirname(file),
      packages: noticedPackages(readFileSync(join(compiled, file), 'utf8')),
    }))
  const libraries = new Map(folders.flatMap(({ packages }) => packages).map((one) => [urlOf(one), one]))
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': name, name, version } },
    components: [
      ...folders.map(({ folder }) => ({ type: 'application', 'bom-ref': folder, name: folder, version })),
      ...[...libraries]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([purl, { name, version, license }]) => ({
          type: 'library',
          'bom-ref': purl,
          name,
          version,
          licenses: [{ expression: license }],
          purl,
        })),
    ],
    dependencies: [
      { ref: name, dependsOn: folders.map(({ folder }) => folder) },
      ...folders.map(({ folder, packages }) => ({ ref: folder, dependsOn: packages.map(urlOf) })),
    ],
  }
  writeFileSync(join(compiled, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 1)}\n`)
}

const urlOf = ({ name, version }: Package) => `pkg:npm/${name.replace('@', '%40')}@${version}`
