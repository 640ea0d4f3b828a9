import { deepStrictEqual } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readSteps } from '../../../../operator/changes/chain.ts'
import { PendingChanges } from '../../../../operator/changes/pending-changes.ts'
import { addDocuments, addRecords } from '../../../../operator/changes/records.ts'
import { updateFile } from '../../../../operator/changes/update-file.ts'
import { CommandError } from '../../../../operator/errors.ts'
import { chainSnapshotRun } from '../../../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../../../stored/changes/change-sets.aws.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import { type Manifest, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { contentOf } from '../../../simulation/increments/document-history.ts'

const idField = Buffer.from('id')
export const source = {
  bucket: 'snapshots',
  configuration: { entities: [{ name: 'CL' }] },
  entity: 'CL',
  target: { kind: 'local', path: '' },
  download: 'pull CL',
} as const

/** The bucket at the time of an update. */
export interface PulledFrom {
  readonly changes: ChangeSetStore
  readonly objects: ReadonlyMap<string, { readonly body: Buffer }>
  readonly chain: ChangesLatest
  /** What readers have who begin at the tip. */
  readonly state: ReadonlyMap<string, string>
}

/** A file that `longshore pull` has written, and that `pull --update` brings to the tip from time to time. */
export class PulledReader {
  #runId: string | undefined
  #lines: readonly string[] = []

  /** Brings the file to the tip, and checks that it has what readers have who begin there. */
  async update(from: PulledFrom): Promise<void> {
    if (this.#runId === undefined) this.#pull(from)
    try {
      await this.#apply(from, this.#runId ?? '')
    } catch (error) {
      const { tip, sets, erased = false } = from.chain
      const continues = !erased && (tip === this.#runId || sets.some(({ base }) => base === this.#runId))
      if (!(error instanceof CommandError) || continues) throw error
      // The chain started again, or what leads on has expired.
      this.#pull(from)
      await this.#apply(from, this.#runId ?? '')
    }
  }

  #pull({ objects, chain }: PulledFrom): void {
    const read = (key: string) => objects.get(key)?.body ?? Buffer.alloc(0)
    this.#runId = chainSnapshotRun(chain)
    const { pages } = JSON.parse(read(manifestKey('CL', this.#runId)).toString()) as Manifest
    const lines = pages.flatMap(({ key }) => gunzipSync(read(key)).toString().split('\n').slice(0, -1))
    // Of several documents with one id, the last one counts.
    this.#lines = [...new Map(lines.map((line) => [(JSON.parse(line) as { id: unknown }).id, line])).values()]
  }

  async #apply({ changes, objects, state }: PulledFrom, since: string): Promise<void> {
    const steps = await readSteps(changes, since, source)
    using folder = temporaryFolder()
    using pending = new PendingChanges(folder.path)
    for await (const { holds, lines } of steps.lines(async (key) => objects.get(key)?.body))
      (holds === 'records' ? addRecords : addDocuments)(pending, lines, idField)
    const file = join(folder.path, 'CL.ndjson')
    writeFileSync(file, this.#lines.map((line) => `${line}\n`).join(''))
    const update = { file, idField, superseded: new Set<number>(), pending, expected: steps.last }
    await updateFile({ ...update, onProgress: () => undefined })
    this.#runId = steps.last.runId
    this.#lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const expected = [...state.values()]
    deepStrictEqual(this.#lines.map(contentOf).toSorted(), expected.map(contentOf).toSorted())
  }
}

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}
