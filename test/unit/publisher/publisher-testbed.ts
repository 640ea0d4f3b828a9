import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { checkRun } from '../../../functions/publisher/check-run.ts'
import type { Publisher } from '../../../functions/publisher/ports.ts'
import { publishRun } from '../../../functions/publisher/publish-run.ts'
import { connectItems } from '../../../functions/publisher/stored-items.aws.ts'
import { connectObjects } from '../../../functions/publisher/stored-objects.aws.ts'
import type { Exchange } from '../../../functions/upstream/recorded-exchange.ts'
import { connectTable } from '../../../stored/dynamodb/connect.aws.ts'
import type { CommittedEnd, CommittedPage, Received } from '../../../stored/pages/page.ts'
import { startPosition } from '../../../stored/pages/page.ts'
import type { AttemptId } from '../../../stored/pages/page-partition.ts'
import type { RunResult } from '../../../stored/run/run.ts'
import { type ActiveFullRun, type ActiveRun, newRun, newRunId } from '../../../stored/run/run.ts'
import { publishing } from '../../../stored/run/run-changes.ts'
import { pageKey } from '../../../stored/snapshots/manifest.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import { entityNamed } from '../../entity-named.ts'

export const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

const startedAt = Date.UTC(2031, 0, 2)

export const emptyEnd: Exchange = {
  at: startedAt + 9_000,
  status: 200,
  bodyBytes: 2,
  details: { headers: {}, body: '[]' },
}

/** What is scrolled of one range, or of the entity. */
export interface Scrolled extends Pick<AttemptId, 'range'> {
  readonly attempt?: number
  readonly pages: readonly (readonly string[])[]
  readonly total?: string | undefined
  readonly where?: string
  /** Requests before the page of this number. */
  readonly failedBefore?: Readonly<Record<number, Exchange>>
  readonly ended?: readonly Exchange[]
  readonly change?: (page: CommittedPage) => CommittedPage
  readonly changeEnd?: (end: CommittedEnd) => CommittedEnd
}

/** The publisher of the entity CL with the stores of this process's environment. */
export class PublisherTestbed {
  readonly state = createStateStore(connectTable('state'))
  readonly objects = connectObjects('snapshots')
  readonly items = connectItems('state')
  now = startedAt + 60_000
  run: ActiveRun = this.newRun()
  readonly #publisher: Publisher = {
    items: this.items,
    objects: this.objects,
    entities: [],
    log: () => undefined,
    now: () => this.now,
    endsAt: Number.POSITIVE_INFINITY,
  }

  newRun(change: Partial<ActiveFullRun> = {}): ActiveFullRun {
    const entity = entityNamed('CL', { pageSize: 2 })
    const run = newRun({ runId: newRunId(startedAt), entity, execution: undefined, now: startedAt })
    return { ...run, ...change } as ActiveFullRun
  }

  async begin(run: ActiveRun = this.newRun()): Promise<void> {
    this.run = run
    await this.state.createRun(run)
  }

  async write(change: (run: ActiveRun) => ActiveRun): Promise<void> {
    this.run = await this.state.writeRun(change(this.run))
  }

  /** The worker lets the run publish. Its own result is not used. */
  beginPublication(): Promise<void> {
    return this.write((run) => publishing(run, {} as RunResult, this.now))
  }

  /** Stores and commits the pages of a scroll, and its end. */
  async scroll({ range, attempt = 1, pages, total, where, ...scrolled }: Scrolled): Promise<void> {
    const { runId } = this.run
    const name = { runId, attempt, ...(range !== undefined && { range }) }
    const times = { openedAt: startedAt, respondedAt: startedAt }
    const cursor = { ...startPosition(2), token: 'T', total: 'not-reported', ...times } as const
    const filter = where === undefined ? '' : `&_where=${encodeURIComponent(where)}`
    const request = `/api/dataentities/CL/scroll?_size=2${filter}`
    for (const [index, documents] of pages.entries()) {
      const page = index + 1
      const object = gzipSync(documents.map((one) => `${one}\n`).join(''))
      const key = pageKey({ ...name, entity: 'CL' }, page, 'x')
      await this.objects.put(key, { body: object, type: 'application/octet-stream' })
      const body = `[${documents.join(',')}]`
      const failed = scrolled.failedBefore?.[page]
      const response: Exchange = {
        at: startedAt + page * 1_000,
        status: 200,
        bodyBytes: Buffer.byteLength(body),
        ...(page === 1 && total !== undefined && { total }),
      }
      const committed: CommittedPage = {
        ...cursor,
        kind: 'page',
        page,
        key,
        documents: documents.length,
        documentsWithoutId: 0,
        bytes: object.length,
        sha256: sha256(object),
        received: {
          request: page === 1 ? request : '/api/dataentities/CL/scroll?_token=T',
          exchanges: failed ? [failed, response] : [response],
          bodySha256: sha256(body),
          spaceBytes: 0,
          replacesLineBreaks: false,
        },
      }
      await this.state.commitPage(name, scrolled.change?.(committed) ?? committed, this.now)
    }
    const exchanges = (scrolled.ended ?? [emptyEnd]).map((exchange, index) =>
      pages.length === 0 && index === 0 && total !== undefined ? { ...exchange, total } : exchange,
    )
    const received: Received = { request, exchanges }
    const end: CommittedEnd = {
      ...cursor,
      kind: 'end',
      page: pages.length + 1,
      id: 'end',
      isConfirmed: true,
      received,
    }
    await this.state.commitEnd(name, scrolled.changeEnd?.(end) ?? end, this.now)
  }

  check(request: Partial<Parameters<typeof checkRun>[1]> = {}, endsAt = Number.POSITIVE_INFINITY) {
    const { runId } = this.run
    return checkRun({ ...this.#publisher, endsAt }, { entity: 'CL', runId, ...request })
  }

  publish() {
    return publishRun(this.#publisher, { entity: 'CL', runId: this.run.runId })
  }

  /** Checks and publishes a run. */
  async checkAndPublish() {
    const checked = await this.check()
    if (checked.kind !== 'proven') throw new Error(JSON.stringify(checked))
    await this.beginPublication()
    return this.publish()
  }

  async json(key: string): Promise<unknown> {
    const stored = await this.objects.read(key)
    return stored && JSON.parse(stored.bytes.toString())
  }

  /** Stores an object of the run, or another one. */
  async put(name: string, body: Buffer | string | object): Promise<void> {
    const key = name.startsWith('snapshots/') ? name : `snapshots/CL/${this.run.runId}/${name}`
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    await this.objects.put(key, { body: bytes, type: 'application/json' })
  }

  ofRun(name: string): Promise<unknown> {
    return this.json(`snapshots/CL/${this.run.runId}/${name}`)
  }

  latest(): Promise<unknown> {
    return this.json('snapshots/CL/latest.json')
  }
}
