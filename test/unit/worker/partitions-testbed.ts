import { rangesOfRun } from '../../../stored/run/run.ts'
import { entityNamed } from '../../entity-named.ts'
import { WorkerTestbed } from './worker-testbed.ts'

export const filterOf = (url: URL) => url.searchParams.get('_where') ?? ''
export const isSearch = (url: URL) => url.pathname.endsWith('/search')
export const isScroll = (url: URL) => url.pathname.endsWith('/scroll')

/** A time on one day. Documents are created a minute or an hour apart. */
export const createdAt = (hour: number, minutes = 0) =>
  new Date(Date.UTC(2030, 0, 1, hour, minutes)).toISOString()

/** Runs the worker on an entity in two ranges by createdIn, and a range of the documents without it. */
export class PartitionsTestbed extends WorkerTestbed {
  override maxConcurrentScrolls = 3
  override entity = entityNamed('CL', { pageSize: 2, partitions: { by: 'createdIn', count: 2 } })

  override documents = [
    ...Array.from({ length: 8 }, (_, id) => `{"id":${id},"createdIn":"${createdAt(id)}"}`),
    '{"id":8}',
  ]

  manifestOf(runId: string) {
    return this.snapshots.readManifest('CL', runId)
  }

  async rangesOf(runId: string) {
    const run = await this.runOf(runId)
    return run ? rangesOfRun(run) : []
  }
}
