import { deepStrictEqual } from 'node:assert/strict'
import { type Manifest, runOfManifestKey } from '../../../../functions/state/snapshots/manifest.ts'
import { readAsOf } from '../../../../operator/history/as-of.ts'
import { readRuns } from '../../../../operator/history/document-states.ts'
import { contentOf } from '../../../simulation/increments/document-history.ts'
import type { IncrementTestbed } from './increment-testbed.ts'

const ids = ['0', '1', '3', '6']

/** What readers had at each run, to compare with what `longshore history` says afterwards. */
export class PastStates {
  readonly #testbed: IncrementTestbed
  readonly #states = new Map<string, ReadonlyMap<string, string>>()

  constructor(testbed: IncrementTestbed) {
    this.#testbed = testbed
  }

  /** Remembers what readers have at the tip, which `history --at` says now. */
  async remember(): Promise<void> {
    const state = this.#testbed.readerState()
    this.#states.set(this.#testbed.chain().tip, state)
    for (const id of ids) {
      const question = { entity: 'CL', id, time: Number.MAX_SAFE_INTEGER }
      const found = await readAsOf(this.#context(), question)
      deepStrictEqual(found.state === 'present' ? found.document : undefined, state.get(id), `${id} now`)
    }
  }

  /** Compares what is known of every run with what readers had. A run may be too old to know. */
  async check(): Promise<void> {
    for (const id of ids)
      for (const { runId, stateAfter } of await readRuns(this.#context(), 'CL', id)) {
        const state = this.#states.get(runId)
        const found = await stateAfter()
        if (!state || found === 'unknown') continue
        const [known, had] = [found === 'absent' ? undefined : found.document, state.get(id)]
        deepStrictEqual(known && contentOf(known), had && contentOf(had), `${id} at ${runId}`)
      }
  }

  #context() {
    const { changes, s3 } = this.#testbed
    const manifests = this.#testbed
      .keysOf('snapshots/CL/')
      .filter((key) => key.endsWith('/manifest.json'))
      .toSorted((one, other) => (runOfManifestKey(one) < runOfManifestKey(other) ? 1 : -1))
      .map((key) => this.#testbed.json<Manifest>(key))
    return {
      // All pages are read.
      listObjects: async function* () {},
      read: async (key: string) => s3.objects.get(key)?.body,
      kept: { list: async () => manifests },
      changes,
    }
  }
}
