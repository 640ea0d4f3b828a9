import { deepStrictEqual } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainSnapshotRun } from '../../../../functions/state/changes/changes.ts'
import { type Manifest, manifestKey } from '../../../../functions/state/snapshots/manifest.ts'
import { PendingChanges } from '../../../../operator/changes/pending-changes.ts'
import { addDocuments, addRecords } from '../../../../operator/changes/records.ts'
import { readSteps } from '../../../../operator/changes/steps.ts'
import { updateFile } from '../../../../operator/changes/update-file.ts'
import { CommandError } from '../../../../operator/errors.ts'
import { contentOf } from '../../../simulation/increments/document-history.ts'
import type { IncrementTestbed } from './increment-testbed.ts'

const idField = Buffer.from('id')
const source = {
  bucket: 'snapshots',
  entity: 'CL',
  target: { kind: 'local', path: '' },
  download: 'pull CL',
} as const

/** A file that `longshore pull` has written, and that `pull --update` brings to the tip from time to time. */
export class PulledReader {
  readonly #testbed: IncrementTestbed
  #runId: string | undefined
  #lines: readonly string[] = []

  constructor(testbed: IncrementTestbed) {
    this.#testbed = testbed
  }

  /** Brings the file to the tip, and checks that it has what readers have who begin there. */
  async update(): Promise<void> {
    if (this.#runId === undefined) this.#pull()
    try {
      await this.#apply(this.#runId ?? '')
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      // The chain started again.
      this.#pull()
      await this.#apply(this.#runId ?? '')
    }
  }

  #pull(): void {
    this.#runId = chainSnapshotRun(this.#testbed.chain())
    const { pages } = this.#testbed.json<Manifest>(manifestKey('CL', this.#runId))
    this.#lines = this.#testbed.lines(pages)
  }

  async #apply(since: string): Promise<void> {
    const { changes, s3 } = this.#testbed
    const steps = await readSteps(changes, since, source)
    using folder = temporaryFolder()
    using pending = new PendingChanges(folder.path)
    for await (const { holds, lines } of steps.lines(async (key) => s3.objects.get(key)?.body))
      (holds === 'records' ? addRecords : addDocuments)(pending, lines, idField)
    const file = join(folder.path, 'CL.ndjson')
    writeFileSync(file, this.#lines.map((line) => `${line}\n`).join(''))
    const update = { file, idField, superseded: new Set<number>(), pending, expected: steps.last }
    await updateFile({ ...update, onProgress: () => undefined })
    this.#runId = steps.last.runId
    this.#lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const expected = [...this.#testbed.readerState().values()]
    deepStrictEqual(this.#lines.map(contentOf).toSorted(), expected.map(contentOf).toSorted())
  }
}

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}
