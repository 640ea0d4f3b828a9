import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { ChangePart, SetManifest } from '../../../../stored/changes/changes.ts'
import { lineOf } from '../../platform/documents.ts'
import type { Surroundings } from '../../surroundings.ts'
import type { Report } from '../invariants.ts'
import { nameIn } from '../snapshots/presence.ts'
import { type ComparedPublication, type ExpectedRecord, isRecordOf } from './chain-state.ts'
import { readRecord } from './set-reader.ts'

/** Reads and checks the parts of change sets. */
export class SetParts {
  readonly #sim: Surroundings
  readonly #report: Report
  /** Scrolls of this platform can lack documents, and nobody can know it. */
  readonly #mayLose: boolean

  constructor(sim: Surroundings, report: Report) {
    this.#sim = sim
    this.#report = report
    const { platform } = sim.scenario
    // A total that is wrong by as much as was lost hides the loss.
    this.#mayLose = platform.lies > 0 || platform.live || platform.total !== 'right'
  }

  /** The lines (latin1) of parts. */
  read(parts: readonly ChangePart[]): string[] {
    return parts.flatMap(({ key, records, bytes, sha256 }) => {
      const body = this.#sim.s3.objects.get(key)?.body
      const isWhole = body?.length === bytes && createHash('sha256').update(body).digest('hex') === sha256
      if (!body || !isWhole) {
        this.#report('sets-whole', `${key} is ${body ? 'not what its manifest lists' : 'missing'}`)
        return []
      }
      const lines = gunzipSync(body).toString('latin1').split('\n').slice(0, -1)
      if (lines.length !== records) this.#report('sets-whole', `${key} has ${lines.length} lines`)
      return lines
    })
  }

  checkRecords(manifest: SetManifest, expected: readonly ExpectedRecord[]): void {
    const { runId, idField } = manifest
    const { rendering } = this.#sim.scenario.platform
    const records = this.read(manifest.parts)
    const wanted = new Map(
      expected.map((one) => [
        [
          one.op,
          one.before === undefined ? '' : lineOf(one.before, rendering),
          one.after === undefined ? '' : lineOf(one.after, rendering),
        ].join('|'),
        one,
      ]),
    )
    for (const record of records) {
      const found = isRecordOf(record, { wanted, idField })
      if (found === undefined) {
        this.#report('changes-true', `the set of ${runId} has the record ${record.slice(0, 200)}`)
        return
      }
      wanted.delete(found)
    }
    const [missing] = wanted.keys()
    if (missing !== undefined)
      this.#report('changes-true', `the set of ${runId} lacks the record ${missing.slice(0, 200)}`)
    const counts = { c: 0, u: 0, d: 0 }
    for (const { op } of expected) {
      counts[op]++
      this.#sim.count(`record: ${op}`)
    }
    if (
      manifest.kind === 'changes' &&
      (manifest.created !== counts.c || manifest.updated !== counts.u || manifest.deleted !== counts.d)
    )
      this.#report('changes-true', `the set of ${runId} counts its records wrongly`)
  }

  /** A document that the platform had during the whole run was not deleted, whatever the snapshot lacks. */
  checkDeletes({ runId, idField, parts }: SetManifest, { present }: ComparedPublication): void {
    if (this.#mayLose) return
    const { rendering } = this.#sim.scenario.platform
    const deleted = this.read(parts)
      .filter((line) => line.startsWith('{"op":"d"'))
      .flatMap((line) => readRecord(line, { idField, rendering })?.index ?? [])
    const wrong = deleted.find((index) => present.has(nameIn(idField)(index)))
    if (wrong !== undefined)
      this.#report(
        'deletes-true',
        `the set of ${runId} deletes the document ${wrong}, which was never absent`,
      )
  }
}
