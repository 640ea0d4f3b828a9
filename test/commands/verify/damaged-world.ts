import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { changesLatestKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { ChangePart, SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { latestKey, type Manifest, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../../stored/tables/table.ts'
import { copyWorld, type IntactWorld } from './intact-world.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Change<T> = ((value: Mutable<T>) => unknown) | Readonly<Record<string, unknown>>

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A copy of the intact world, and what somebody does to it. */
export class DamagedWorld {
  readonly stored
  /** Runs of the snapshots, the oldest first; the last one was refused. */
  readonly runs: readonly string[]
  readonly sets: readonly string[]

  constructor(world: IntactWorld) {
    this.stored = copyWorld(world)
    const folder = /^snapshots\/CL\/([^/]+)\//
    this.runs = [...new Set(this.keys('snapshots/CL/').flatMap((key) => folder.exec(key)?.[1] ?? []))]
    this.sets = this.chain.sets.map(({ runId }) => runId)
  }

  get chain(): ChangesLatest {
    return this.json(changesLatestKey('CL'))
  }

  /** The keys that begin with this, in order. */
  keys(prefix: string, end = ''): string[] {
    return [...this.stored.s3.objects.keys()]
      .filter((key) => key.startsWith(prefix) && key.endsWith(end))
      .toSorted()
  }

  body(key: string): Buffer {
    const object = this.stored.s3.objects.get(key)
    if (!object) throw new Error(`There is no ${key}.`)
    return object.body
  }

  json<T>(key: string): T {
    return JSON.parse(this.body(key).toString()) as T
  }

  async put(key: string, body: Buffer | string): Promise<string> {
    await this.stored.objects.putBytes(key, Buffer.from(body))
    return key
  }

  async remove(...keys: string[]): Promise<string> {
    await this.stored.tables.deleteKeys(keys)
    return keys[0] ?? ''
  }

  /** Changes one bit in the middle, or at a place. */
  flip(key: string, at = Math.floor(this.body(key).length / 2)): Promise<string> {
    const body = Buffer.from(this.body(key))
    body[at] = (body[at] ?? 0) ^ 1
    return this.put(key, body)
  }

  /** Changes JSON, or gives it other members, which a change may return. */
  async edit<T>(key: string, change: Change<T>): Promise<string> {
    const value = this.json<Mutable<T>>(key)
    Object.assign(value, typeof change === 'function' ? change(value) : change)
    return this.put(key, JSON.stringify(value, null, 1))
  }

  run = (index: number) => this.runs.at(index) ?? ''
  page = (run: number, page = 0) => this.keys(`snapshots/CL/${this.run(run)}/a`).at(page) ?? ''
  manifest = (run: number) => manifestKey('CL', this.run(run))
  latest = latestKey('CL')
  chainKey = changesLatestKey('CL')
  setKey = (set: number) => setManifestKey('CL', this.sets.at(set) ?? '')
  set = (set: number) => this.json<SetManifest>(this.setKey(set))
  part = (set: number) => this.set(set).parts[0]?.key ?? ''
  withheld = (set: number) => this.set(set).withheldParts[0]?.key ?? ''
  tableKey = tableLatestKey('CL')
  get metadata(): string {
    return this.json<TableLatest>(this.tableKey).metadata
  }

  editManifest = (run: number, change: Change<Manifest>) => this.edit<Manifest>(this.manifest(run), change)
  editSet = (set: number, change: Change<SetManifest>) => this.edit<SetManifest>(this.setKey(set), change)
  editLatest = (change: Change<object>) => this.edit<object>(this.latest, change)
  editChain = (change: Change<ChangesLatest>) => this.edit<ChangesLatest>(this.chainKey, change)

  /** Changes the lines of a page, and corrects its entry in the manifest. */
  async editPage(run: number, change: (lines: string[]) => string[], level = 6): Promise<string> {
    const key = this.page(run)
    const entry = await this.#editLines(key, change, level)
    return this.editManifest(run, (manifest) => {
      manifest.pages = manifest.pages.map((page) =>
        page.key === key ? { ...page, ...entry.object, documents: entry.lines } : page,
      )
    })
  }

  /** Changes the lines of the first part of a set, and corrects its entry in the manifest. */
  async editPart(set: number, change: (lines: string[]) => string[]): Promise<string> {
    const key = this.part(set)
    const { object, lines } = await this.#editLines(key, change)
    const corrected = (parts: readonly ChangePart[]) =>
      parts.map((part) => (part.key === key ? { ...part, ...object, records: lines } : part))
    return this.editSet(set, (manifest) => {
      manifest.parts = corrected(manifest.parts)
      if ('incrementParts' in manifest)
        Object.assign(manifest, { incrementParts: corrected(manifest.incrementParts) })
    })
  }

  async #editLines(key: string, change: (lines: string[]) => string[], level = 6) {
    const lines = change(gunzipSync(this.body(key)).toString().trimEnd().split('\n'))
    const body = gzipSync(lines.map((line) => `${line}\n`).join(''), { level })
    await this.put(key, body)
    return { object: { bytes: body.length, sha256: sha256(body) }, lines: lines.length }
  }
}
